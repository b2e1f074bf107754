-- A cinema with three screens. Only training questions are asked of it.
CREATE TABLE director(director_id INTEGER PRIMARY KEY, name TEXT, born INTEGER, country TEXT);
INSERT INTO director SELECT i - 40, g.name || ' ' || f.name, CASE WHEN c % 7 = 0 THEN NULL ELSE 1935 + c % 60 END,
 CASE d % 6 WHEN 0 THEN 'Norway' WHEN 1 THEN 'Ireland' WHEN 2 THEN 'Italy' WHEN 3 THEN 'Nigeria' ELSE 'Scotland' END
FROM dice JOIN given g ON g.k = 1 + a % 40 JOIN family f ON f.k = 1 + c % 38 WHERE dice.i BETWEEN 41 AND 66;

CREATE TABLE film(film_id INTEGER PRIMARY KEY, title TEXT, released INTEGER, minutes INTEGER, rating TEXT, director_id INTEGER REFERENCES director(director_id), language TEXT, sequel_to INTEGER REFERENCES film(film_id));
CREATE TEMP TABLE word(k INTEGER PRIMARY KEY, name TEXT);
INSERT INTO word(name) VALUES ('Harbour'),('Silence'),('Paper'),('Winter'),('Copper'),('Neighbour'),('Night'),('Ferry'),('Garden'),('Stranger'),('Mirror'),('Island');
INSERT INTO film SELECT i - 100, 'The ' || w.name || CASE i % 5 WHEN 0 THEN ' Thieves' WHEN 1 THEN ' Waltz' WHEN 2 THEN ' Letter' WHEN 3 THEN '' ELSE ' Years' END,
 1968 + max(a % 57, b % 57), 78 + c % 80, CASE d % 5 WHEN 0 THEN 'U' WHEN 1 THEN 'PG' WHEN 2 THEN '12' WHEN 3 THEN '15' ELSE NULL END,
 1 + e % 24, CASE f % 6 WHEN 0 THEN 'Norwegian' WHEN 1 THEN 'Italian' ELSE 'English' END, CASE WHEN i > 140 AND f % 13 = 0 THEN i - 135 END
FROM dice JOIN word w ON w.k = 1 + i % 12 WHERE dice.i BETWEEN 101 AND 155;

CREATE TABLE screen(screen_id INTEGER PRIMARY KEY, name TEXT, seats INTEGER, has_loop TEXT);
INSERT INTO screen VALUES (1,'Grand',310,'yes'),(2,'Studio',84,'yes'),(3,'Attic',32,'no');

CREATE TABLE showing(showing_id INTEGER PRIMARY KEY, film_id INTEGER REFERENCES film(film_id), screen_id INTEGER REFERENCES screen(screen_id), starts TEXT, price REAL, subtitled INTEGER, cancelled INTEGER);
INSERT INTO showing SELECT i, 1 + min(a % 55, b % 52), 1 + c % 3, date('2024-01-05', '+' || (i * 330 / 420) || ' days') || ' ' || CASE d % 4 WHEN 0 THEN '14:30' WHEN 1 THEN '17:45' WHEN 2 THEN '20:15' ELSE '11:00' END,
 CASE WHEN d % 4 = 3 THEN 5 ELSE 8.5 + (c % 3 = 0) * 1.5 END, e % 4 = 0, f % 37 = 0 FROM dice WHERE i <= 420;

CREATE TABLE patron(patron_id INTEGER PRIMARY KEY, name TEXT, born TEXT, friend_since TEXT, town TEXT);
INSERT INTO patron SELECT i - 600, g.name || ' ' || f.name, date('1941-01-01', '+' || (c % 25000) || ' days'), CASE WHEN d % 3 = 0 THEN date('2019-06-01', '+' || (e % 1900) || ' days') END,
 CASE e % 4 WHEN 0 THEN 'Alder' WHEN 1 THEN 'Brigg' WHEN 2 THEN 'Dunmoor' END FROM dice JOIN given g ON g.k = 1 + b % 40 JOIN family f ON f.k = 1 + d % 38 WHERE dice.i BETWEEN 601 AND 750;

CREATE TABLE ticket(ticket_id INTEGER PRIMARY KEY, showing_id INTEGER REFERENCES showing(showing_id), patron_id INTEGER REFERENCES patron(patron_id), seat TEXT, paid REAL, sold_at TEXT, used INTEGER);
INSERT INTO ticket SELECT i - 800, s.showing_id, CASE WHEN b % 4 = 0 THEN NULL ELSE 1 + b % 147 END, char(65 + c % 8) || (1 + d % 14), CASE WHEN e % 6 = 0 THEN s.price / 2 ELSE s.price END,
 date(substr(s.starts, 1, 10), '-' || (f % 12) || ' days'), CASE WHEN s.cancelled THEN 0 ELSE e % 15 > 0 END FROM dice JOIN showing s ON s.showing_id = 1 + a % 415 WHERE i BETWEEN 801 AND 2100;

CREATE TABLE review(review_id INTEGER PRIMARY KEY, film_id INTEGER REFERENCES film(film_id), patron_id INTEGER REFERENCES patron(patron_id), stars INTEGER, written TEXT, words TEXT);
INSERT INTO review SELECT i - 2200, 1 + min(a % 55, c % 55), 1 + b % 150, 1 + max(d % 5, e % 4), date('2024-01-10', '+' || (f % 320) || ' days'), CASE d % 6 WHEN 0 THEN 'Lovely light' WHEN 1 THEN 'too long' WHEN 2 THEN 'Too long by half' END FROM dice WHERE i BETWEEN 2201 AND 2400;
