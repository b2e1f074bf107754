-- Rain gauges and thermometers of volunteers. Only training questions are asked of it.
CREATE TABLE observer(observer_id INTEGER PRIMARY KEY, name TEXT, since TEXT, until TEXT, trained TEXT);
INSERT INTO observer SELECT i - 70, g.name || ' ' || f.name, date('1996-04-01', '+' || (c % 9800) || ' days'), CASE WHEN d % 5 = 0 THEN '2024-0' || (1 + d % 9) || '-15' END, CASE e % 3 WHEN 0 THEN 'basic' WHEN 1 THEN 'full' END
FROM dice JOIN given g ON g.k = 1 + b % 40 JOIN family f ON f.k = 1 + a % 38 WHERE dice.i BETWEEN 71 AND 102;

CREATE TABLE station(station_id TEXT PRIMARY KEY, name TEXT, region TEXT, altitude_m INTEGER, lat REAL, lon REAL, opened TEXT, closed TEXT);
INSERT INTO station VALUES ('ALD','Alder Weir','Valley',22,54.11,-1.92,'1961-01-01',NULL),('BRG','Brigg School','Valley',31,54.17,-1.85,'1987-09-01',NULL),('CRW','Castlerow Keep','Hills',188,54.20,-2.04,'1934-05-01',NULL),
 ('DUN','Dunmoor','Hills',342,54.26,-2.11,'1978-11-01',NULL),('STO','Stour Mouth','Coast',4,54.05,-1.60,'1955-03-01','2022-12-31'),('SAN','Sandness Light','Coast',16,54.02,-1.55,'2001-06-01',NULL),
 ('TOP','High Fell','Hills',611,54.31,-2.20,'2010-08-15',NULL),('POM','Pomeroy Orchard','Valley',NULL,54.14,-1.98,'2019-02-01',NULL);

CREATE TABLE duty(station_id TEXT REFERENCES station(station_id), observer_id INTEGER REFERENCES observer(observer_id), weekday INTEGER, deputy INTEGER REFERENCES observer(observer_id), PRIMARY KEY(station_id, weekday));
INSERT INTO duty SELECT s.station_id, 1 + d.a % 32, w.weekday, CASE WHEN d.b % 3 > 0 THEN 1 + d.b % 32 END FROM (SELECT row_number() OVER (ORDER BY station_id) AS k, station_id FROM station WHERE closed IS NULL) s
 JOIN (SELECT i - 1 AS weekday FROM dice WHERE i <= 7) w JOIN dice d ON d.i = s.k * 10 + w.weekday WHERE d.c % 8 > 0;

CREATE TABLE instrument(instrument_id INTEGER PRIMARY KEY, station_id TEXT REFERENCES station(station_id), kind TEXT, maker TEXT, installed TEXT, calibrated TEXT);
INSERT INTO instrument SELECT i - 200, s.station_id, CASE b % 4 WHEN 0 THEN 'rain gauge' WHEN 1 THEN 'thermometer' WHEN 2 THEN 'anemometer' ELSE 'barometer' END,
 CASE c % 3 WHEN 0 THEN 'Kestrel & Hall' WHEN 1 THEN 'Nordvind' ELSE NULL END, date('2005-01-01', '+' || (d % 6500) || ' days'), CASE WHEN e % 4 > 0 THEN date('2023-01-01', '+' || (e % 700) || ' days') END FROM dice JOIN (SELECT row_number() OVER (ORDER BY station_id) AS k, station_id FROM station) s ON s.k = 1 + a % 8 WHERE i BETWEEN 201 AND 236;

CREATE TABLE daily(station_id TEXT REFERENCES station(station_id), day TEXT, rain_mm REAL, t_min REAL, t_max REAL, gust_kn INTEGER, observer_id INTEGER REFERENCES observer(observer_id), PRIMARY KEY(station_id, day));
INSERT INTO daily SELECT s.station_id, date('2024-01-01', '+' || ((d.i - 300) / 7) || ' days'), CASE WHEN d.a % 29 = 0 THEN NULL WHEN d.a % 9 < 4 THEN 0 ELSE round((d.b % 90 * (d.c % 90)) / 180.0 * (1 + coalesce(s.altitude_m, 60) / 500.0), 1) END,
 round(9 - 8 * cos(((d.i - 300) / 7 - 20) * 0.0172) - coalesce(s.altitude_m, 60) / 160.0 + (d.d % 60) / 10.0 - 5, 1), round(15 - 9 * cos(((d.i - 300) / 7 - 20) * 0.0172) - coalesce(s.altitude_m, 60) / 160.0 + (d.e % 70) / 10.0, 1),
 CASE WHEN d.f % 11 = 0 THEN NULL ELSE 8 + (d.f % 45) END, CASE WHEN d.e % 20 = 0 THEN NULL ELSE 1 + d.c % 32 END
FROM dice d JOIN (SELECT row_number() OVER (ORDER BY station_id) AS k, * FROM station WHERE closed IS NULL) s ON s.k = 1 + d.i % 7 WHERE d.i BETWEEN 300 AND 2570;

CREATE TABLE warning(warning_id INTEGER PRIMARY KEY, region TEXT, kind TEXT, level TEXT, issued TEXT, lifted TEXT);
INSERT INTO warning SELECT i - 2600, CASE a % 3 WHEN 0 THEN 'Hills' WHEN 1 THEN 'Valley' ELSE 'Coast' END, CASE b % 4 WHEN 0 THEN 'wind' WHEN 1 THEN 'flood' WHEN 2 THEN 'ice' ELSE 'wind' END, CASE c % 5 WHEN 0 THEN 'red' WHEN 1 THEN 'amber' ELSE 'yellow' END,
 date('2024-01-03', '+' || (d % 320) || ' days'), CASE WHEN e % 8 > 0 THEN date('2024-01-03', '+' || (d % 320 + 1 + e % 4) || ' days') END FROM dice WHERE i BETWEEN 2601 AND 2644;
