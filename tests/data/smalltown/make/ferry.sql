-- Boats between six islands and the mainland.
CREATE TABLE port(code TEXT PRIMARY KEY, name TEXT NOT NULL, island TEXT, berths INTEGER, has_ramp TEXT, fuel TEXT);
INSERT INTO port VALUES
 ('SCR','Scrabster Bay','Mainland',4,'Y','diesel'),('KIR','Kirkhaven','Great Holm',3,'Y','diesel'),
 ('LYR','Lyrawick','Great Holm',1,'N',NULL),('SAN','Sandness','Sanda',2,'Y',NULL),('FAR','Faraness','Fara',1,'N',NULL),
 ('WES','Westing','Westra',2,'Y','LNG'),('NOR','Norwick','Unsta',1,'Y',NULL),('HOY','Hoyle Pier','Hoyle',1,'N',NULL),
 ('OLD','Old Quay','Sanda',0,'N',NULL);

CREATE TABLE ship(
  ship_id INTEGER PRIMARY KEY, name TEXT, built INTEGER, entered_service TEXT, pax_capacity INTEGER, car_capacity INTEGER,
  home_port TEXT REFERENCES port(code), retired TEXT);
INSERT INTO ship VALUES
 (1,'Earl Sigurd',1991,'1992-04-01',290,26,'KIR',NULL),(2,'Varagen Bay',1989,'1989-07-22',144,28,'KIR',NULL),
 (3,'Queen of Fara',2004,'2004-05-18',95,NULL,'FAR',NULL),(4,'Hamnavoe Light',2002,'2003-04-21',600,95,'SCR',NULL),
 (5,'Grey Seal',1974,'1979-06-02',60,8,'SAN','2023-09-30'),(6,'Skerryman',2015,'2016-02-12',120,14,'WES',NULL),
 (7,'Thora',2021,'2021-11-05',98,16,'NOR',NULL),(8,'Hoy Head II',1996,'1996-03-30',125,18,'HOY',NULL),
 (9,'Lady Ailsa',1966,'1966-05-01',210,NULL,'SCR','2009-10-11'),(10,'Auk',2024,NULL,48,0,'KIR',NULL);

CREATE TABLE route(
  route_id INTEGER PRIMARY KEY, origin TEXT REFERENCES port(code), destination TEXT REFERENCES port(code),
  distance_nm REAL, minutes INTEGER, season TEXT, base_fare REAL);
INSERT INTO route VALUES
 (1,'SCR','KIR',28.5,95,'all year',21.5),(2,'KIR','SCR',28.5,95,'all year',21.5),(3,'KIR','SAN',19.0,85,'all year',9.8),
 (4,'SAN','KIR',19.0,85,'all year',9.8),(5,'KIR','WES',26.0,90,'all year',9.8),(6,'WES','KIR',26.0,95,'all year',9.8),
 (7,'KIR','FAR',8.5,35,'all year',4.9),(8,'FAR','KIR',8.5,35,'all year',4.9),(9,'LYR','HOY',5.0,30,'all year',4.9),
 (10,'HOY','LYR',5.0,30,'all year',4.9),(11,'WES','NOR',11.5,50,'summer',6.2),(12,'NOR','WES',11.5,50,'summer',6.2),
 (13,'SCR','HOY',21.0,75,'summer',18.0),(14,'SAN','NOR',24.0,80,'winter',7.1);

CREATE TABLE sailing(
  sailing_id INTEGER PRIMARY KEY, route_id INTEGER NOT NULL REFERENCES route(route_id), ship_id INTEGER REFERENCES ship(ship_id),
  departs TEXT, status TEXT, delay_min INTEGER, cause TEXT); -- status: Sailed, Late, Cancelled
INSERT INTO sailing
SELECT i, 1 + min(a % 13, b % 16), CASE WHEN c % 40 = 0 THEN NULL ELSE 1 + c % 8 END,
  date('2023-03-01', '+' || (i * 640 / 900) || ' days') || ' ' || printf('%02d:%02d', 6 + d % 15, 15 * (e % 4)),
  CASE WHEN f % 25 < 18 THEN 'Sailed' WHEN f % 25 < 23 THEN 'Late' ELSE 'Cancelled' END,
  CASE WHEN f % 25 < 18 THEN 0 WHEN f % 25 < 23 THEN 5 + (e % 100) END,
  CASE WHEN f % 25 >= 18 THEN CASE a % 5 WHEN 0 THEN 'fog' WHEN 1 THEN 'Fog' WHEN 2 THEN 'swell' WHEN 3 THEN 'engine' END END
FROM dice WHERE i <= 900 ORDER BY i;
UPDATE sailing SET ship_id = 6 WHERE ship_id = 5 AND departs > '2023-09-30';

CREATE TABLE passenger(
  passenger_id INTEGER PRIMARY KEY, name TEXT, born TEXT, island TEXT, -- island of residence, NULL for visitors
  card_no TEXT);
INSERT INTO passenger
SELECT i - 1000, g.name || ' ' || f.name, date('1938-03-01', '+' || (c % 28800) || ' days'),
  CASE WHEN d % 10 < 4 THEN NULL ELSE CASE d % 7 WHEN 0 THEN 'Great Holm' WHEN 1 THEN 'Sanda' WHEN 2 THEN 'Fara' WHEN 3 THEN 'Westra'
    WHEN 4 THEN 'Unsta' WHEN 5 THEN 'Hoyle' ELSE 'Great Holm' END END,
  CASE WHEN d % 10 >= 4 AND e % 4 > 0 THEN printf('IC%05d', e % 99999) END
FROM dice JOIN given g ON g.k = 1 + a % 40 JOIN family f ON f.k = 1 + b % 38
WHERE dice.i BETWEEN 1001 AND 1260 ORDER BY dice.i;

CREATE TABLE booking(
  booking_id INTEGER PRIMARY KEY, sailing_id INTEGER REFERENCES sailing(sailing_id), passenger_id INTEGER REFERENCES passenger(passenger_id),
  booked TEXT, class TEXT, fare REAL, vehicle TEXT, boarded INTEGER); -- vehicle: car, van, bike or NULL; boarded: 1, 0, NULL not known
INSERT INTO booking
SELECT i, s.sailing_id, 1 + min(b % 255, c % 255), date(substr(s.departs, 1, 10), '-' || (d % 45) || ' days'),
  CASE WHEN d % 8 < 6 THEN 'deck' WHEN d % 16 < 15 THEN 'cabin' ELSE 'CABIN' END,
  round(r.base_fare * CASE WHEN d % 8 < 6 THEN 1 ELSE 2.5 END * CASE WHEN e % 5 = 0 THEN 0.5 ELSE 1 END + CASE WHEN f % 9 = 0 THEN 14.5 ELSE 0 END, 2),
  CASE WHEN f % 9 = 0 THEN 'car' WHEN f % 27 = 1 THEN 'van' WHEN f % 9 = 2 THEN 'bike' END,
  CASE WHEN s.status = 'Cancelled' THEN 0 WHEN e % 43 = 0 THEN NULL WHEN e % 11 = 0 THEN 0 ELSE 1 END
FROM dice JOIN sailing s ON s.sailing_id = 1 + a % 893 JOIN route r USING(route_id)
WHERE i <= 1700 ORDER BY i;

CREATE TABLE crew(
  crew_id INTEGER PRIMARY KEY, name TEXT, rank TEXT, ship_id INTEGER REFERENCES ship(ship_id), hired TEXT, left TEXT, pay REAL);
INSERT INTO crew
SELECT i - 1400, g.name || ' ' || f.name,
  CASE WHEN (i - 1400) % 9 = 0 THEN 'Master' WHEN (i - 1400) % 9 = 1 THEN 'Mate' WHEN (i - 1400) % 9 < 4 THEN 'Engineer' WHEN (i - 1400) % 9 < 5 THEN 'Purser' ELSE 'Deckhand' END,
  CASE WHEN c % 12 = 0 THEN NULL ELSE 1 + c % 8 END, date('1998-01-05', '+' || (d % 9600) || ' days'),
  CASE WHEN e % 4 = 0 THEN date('2024-10-01', '-' || (e % 900) || ' days') END,
  1900 + 50 * (f % 40)
FROM dice JOIN given g ON g.k = 1 + b % 40 JOIN family f ON f.k = 1 + a % 38
WHERE dice.i BETWEEN 1401 AND 1472 ORDER BY dice.i;

CREATE TABLE incident(
  incident_id INTEGER PRIMARY KEY, sailing_id INTEGER REFERENCES sailing(sailing_id), kind TEXT, severity INTEGER, reported TEXT, note TEXT);
INSERT INTO incident
SELECT i - 1800, s.sailing_id, CASE a % 6 WHEN 0 THEN 'collision' WHEN 1 THEN 'injury' WHEN 2 THEN 'injury' WHEN 3 THEN 'machinery' WHEN 4 THEN 'cargo' ELSE 'machinery' END,
  1 + min(b % 5, c % 5), date(substr(s.departs, 1, 10), '+' || (d % 4) || ' days'),
  CASE d % 5 WHEN 0 THEN 'slipped on ramp' WHEN 1 THEN 'Ramp jammed' WHEN 2 THEN 'no further action' END
FROM dice JOIN sailing s ON s.sailing_id = 1 + e % 900
WHERE i BETWEEN 1801 AND 1890 ORDER BY i;
