-- A town library with four houses and a bus.
CREATE TABLE branch(
  branch_id INTEGER PRIMARY KEY, name TEXT NOT NULL, street TEXT, opened TEXT, closed TEXT, seats INTEGER);
INSERT INTO branch VALUES
 (1,'Market Square','2 Market Square','1931-05-02',NULL,120),
 (2,'Harbour','14 Quay Street','1968-09-14',NULL,46),
 (3,'Northgate','91 North Road','1975-03-01','2023-11-30',30),
 (4,'Mill Lane','Mill Lane','1999-10-16',NULL,64),
 (5,'Bookbus',NULL,'2008-04-07',NULL,NULL);

CREATE TABLE member(
  member_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, category TEXT, -- adult, child, senior, student
  home_branch INTEGER REFERENCES branch(branch_id), joined TEXT, expires TEXT, email TEXT, blocked INTEGER DEFAULT 0);
INSERT INTO member
SELECT i, g.name, f.name,
  CASE WHEN c % 20 < 9 THEN 'adult' WHEN c % 20 < 14 THEN 'child' WHEN c % 20 < 17 THEN 'senior' ELSE 'student' END,
  1 + (d % 11 > 3) + (d % 11 > 6) + (d % 11 > 7) + (d % 11 > 9),
  date('2016-01-04', '+' || (e % 3100) || ' days'),
  CASE WHEN f % 9 = 0 THEN NULL ELSE date('2024-01-31', '+' || (f % 24) || ' months') END,
  CASE WHEN b % 3 = 0 THEN NULL ELSE lower(g.name) || '.' || lower(replace(f.name, '''', '')) ||
    CASE b % 4 WHEN 0 THEN '@post.example' WHEN 1 THEN '@mail.example' ELSE '@town.example' END END,
  a % 17 = 0
FROM dice JOIN given g ON g.k = 1 + a % 40 JOIN family f ON f.k = 1 + b % 38
WHERE dice.i <= 220 ORDER BY dice.i;

CREATE TABLE author(
  author_id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER, died INTEGER, country TEXT); -- country: IE, GB, DE, FR, NG, SE, PL, IT
INSERT INTO author
SELECT i - 1000, g.name || ' ' || f.name,
  CASE WHEN c % 10 = 0 THEN NULL ELSE 1890 + c % 106 END,
  CASE WHEN c % 10 <> 0 AND c % 106 < 55 AND d % 5 < 4 THEN 1890 + c % 106 + 48 + d % 40 END,
  CASE e % 12 WHEN 0 THEN 'DE' WHEN 1 THEN 'FR' WHEN 2 THEN 'NG' WHEN 3 THEN 'SE' WHEN 4 THEN 'PL' WHEN 5 THEN 'IT'
    WHEN 6 THEN 'IE' WHEN 7 THEN 'IE' ELSE 'GB' END
FROM dice JOIN given g ON g.k = 1 + b % 40 JOIN family f ON f.k = 1 + a % 38
WHERE dice.i BETWEEN 1001 AND 1056 ORDER BY dice.i;
UPDATE author SET died = NULL WHERE died > 2023;

CREATE TABLE title(
  title_id INTEGER PRIMARY KEY, title TEXT NOT NULL, published INTEGER, language TEXT, -- eng, fre, ger, gle, swe
  genre TEXT, pages INTEGER, series TEXT);
CREATE TEMP TABLE noun(k INTEGER PRIMARY KEY, name TEXT);
INSERT INTO noun(name) VALUES ('Lighthouse'),('Beekeeper'),('Ledger'),('Winter Ferry'),('Salt Road'),('Cartographer'),
 ('Orchard'),('Heron'),('Clockmaker'),('Tide Table'),('Red Barn'),('Glass Bridge'),('Stone Wall'),('Last Tram'),('Weaver'),
 ('Quarry'),('Inland Sea'),('Night Post'),('Copper Kettle'),('Allotment'),('Wren'),('Signalman'),('Borrowed Coat'),('Attic');
CREATE TEMP TABLE frame(k INTEGER PRIMARY KEY, name TEXT);
INSERT INTO frame(name) VALUES ('The %'),('A Murder at the %'),('% and Other Stories'),('Return to the %'),('The % Keeper'),
 ('A Short History of the %'),('How to Draw a %'),('Letters from the %'),('The Girl and the %');
INSERT INTO title
SELECT i - 200, replace(fr.name, '%', n.name),
  1938 + max(c % 86, d % 86),
  CASE WHEN e % 14 = 0 THEN 'fre' WHEN e % 14 = 1 THEN 'ger' WHEN e % 14 = 2 THEN 'gle' WHEN e % 28 = 3 THEN 'swe' ELSE 'eng' END,
  CASE fr.k WHEN 1 THEN 'Novel' WHEN 2 THEN 'Crime' WHEN 3 THEN 'Short stories' WHEN 4 THEN 'Novel' WHEN 5 THEN 'Crime'
    WHEN 6 THEN 'History' WHEN 7 THEN 'Craft' WHEN 8 THEN 'Memoir' ELSE 'Children' END,
  CASE WHEN f % 13 = 0 THEN NULL WHEN fr.k = 9 THEN 24 + f % 90 ELSE 120 + f % 460 END,
  CASE WHEN fr.k = 2 AND a % 2 = 0 THEN 'Inspector Flett' WHEN fr.k = 9 AND b % 3 = 0 THEN 'Island Tales' WHEN fr.k = 6 AND a % 3 = 0 THEN 'Short Histories' END
FROM dice JOIN noun n ON n.k = 1 + (dice.i * 7) % 24 JOIN frame fr ON fr.k = 1 + (dice.i * 5 + dice.i / 24) % 9
WHERE dice.i BETWEEN 201 AND 360 ORDER BY dice.i;

CREATE TABLE title_author(
  title_id INTEGER REFERENCES title(title_id), author_id INTEGER REFERENCES author(author_id),
  role TEXT, -- author, translator, illustrator
  PRIMARY KEY(title_id, author_id, role));
INSERT INTO title_author SELECT i - 200, 1 + min(a % 56, b % 56), 'author' FROM dice WHERE i BETWEEN 201 AND 360 AND i % 41 <> 0;
INSERT OR IGNORE INTO title_author SELECT i - 200, 1 + c % 56, 'author' FROM dice WHERE i BETWEEN 201 AND 360 AND d % 9 = 0;
INSERT OR IGNORE INTO title_author SELECT t.title_id, 1 + d.f % 56, 'translator' FROM title t JOIN dice d ON d.i = t.title_id
 WHERE d.e % 3 = 0;
INSERT OR IGNORE INTO title_author SELECT t.title_id, 1 + d.d % 56, 'illustrator' FROM title t JOIN dice d ON d.i = t.title_id
 WHERE t.genre IN ('Children', 'Craft') AND d.c % 3 <> 0;

CREATE TABLE copy(
  copy_id INTEGER PRIMARY KEY, title_id INTEGER NOT NULL REFERENCES title(title_id), branch_id INTEGER REFERENCES branch(branch_id),
  bought TEXT, price REAL, state TEXT); -- shelf, repair, lost, withdrawn
INSERT INTO copy
SELECT i, 1 + (a % 157), 1 + (b % 13 > 4) + (b % 13 > 7) + (b % 13 > 8) + (b % 13 > 11),
  date('2009-02-10', '+' || (c % 5400) || ' days'),
  CASE WHEN d % 19 = 0 THEN NULL ELSE round(4.5 + (d % 3100) / 100.0, 2) END,
  CASE WHEN e % 23 = 0 THEN 'lost' WHEN e % 23 = 1 THEN 'repair' WHEN e % 23 = 2 THEN 'withdrawn' WHEN e % 61 = 7 THEN 'Lost' ELSE 'shelf' END
FROM dice WHERE i <= 400 ORDER BY i;

CREATE TABLE loan(
  loan_id INTEGER PRIMARY KEY, copy_id INTEGER NOT NULL REFERENCES copy(copy_id), member_id INTEGER NOT NULL REFERENCES member(member_id),
  issued_at INTEGER REFERENCES branch(branch_id), -- the desk, not the copy's shelf
  taken TEXT, due TEXT, returned TEXT, fine REAL);
INSERT INTO loan
SELECT i - 500, 1 + (a % 400), 1 + (min(b % 205, c % 205)),
  CASE WHEN d % 5 = 0 THEN 1 + d % 4 ELSE (SELECT branch_id FROM copy WHERE copy_id = 1 + a % 400) END,
  date('2022-01-03', '+' || (e % 1040) || ' days'),
  date('2022-01-03', '+' || (e % 1040 + CASE WHEN f % 6 = 0 THEN 42 ELSE 21 END) || ' days'),
  CASE WHEN f % 31 = 0 THEN NULL ELSE date('2022-01-03', '+' || (e % 1040 + 1 + f % 34) || ' days') END, NULL
FROM dice WHERE i BETWEEN 501 AND 1750 ORDER BY i;
UPDATE loan SET fine = round((julianday(returned) - julianday(due)) * 0.2, 2) WHERE returned > due;
UPDATE loan SET fine = 0 WHERE returned > due AND loan_id % 7 = 0;
UPDATE loan SET returned = NULL, fine = NULL WHERE returned > '2024-11-08';

CREATE TABLE hold(
  hold_id INTEGER PRIMARY KEY, title_id INTEGER REFERENCES title(title_id), member_id INTEGER REFERENCES member(member_id),
  pickup_branch INTEGER REFERENCES branch(branch_id), placed TEXT, status TEXT, notified TEXT); -- status: W waiting, R ready, C collected, X cancelled
INSERT INTO hold
SELECT i - 2000, 1 + (min(b % 160, d % 160)), 1 + (c % 220), CASE WHEN a % 7 = 0 THEN NULL ELSE 1 + a % 4 END,
  date('2024-01-02', '+' || (e % 310) || ' days'),
  CASE WHEN f % 10 < 3 THEN 'W' WHEN f % 10 < 4 THEN 'R' WHEN f % 10 < 8 THEN 'C' ELSE 'X' END,
  CASE WHEN f % 10 BETWEEN 3 AND 7 THEN date('2024-01-02', '+' || (e % 310 + 2 + a % 30) || ' days') END
FROM dice WHERE i BETWEEN 2001 AND 2180 ORDER BY i;
