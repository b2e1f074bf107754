-- What the databases draw on: six streams of repeatable chance and two lists of names.
-- All of it is temporary; nothing of it stays in a database.
CREATE TEMP TABLE dice AS
WITH RECURSIVE d(i, a, b, c, d, e, f) AS (
  SELECT 1, 1234567, 7654321, 192837465, 918273645, 5551212, 31415926
  UNION ALL
  SELECT i + 1, a * 48271 % 2147483647, b * 69621 % 2147483647, c * 16807 % 2147483647,
         d * 39373 % 2147483647, e * 742938285 % 2147483647, f * 950706376 % 2147483647
  FROM d WHERE i < 3000)
SELECT * FROM d;
CREATE UNIQUE INDEX temp.dice_i ON dice(i);

CREATE TEMP TABLE given(k INTEGER PRIMARY KEY, name TEXT);
INSERT INTO given(name) VALUES
 ('Agnes'),('Amir'),('Anneke'),('Bram'),('Brigid'),('Callum'),('Chiara'),('Colm'),('Dagny'),('Davit'),
 ('Edda'),('Eilidh'),('Emeka'),('Esther'),('Fergus'),('Fatima'),('Gareth'),('Greta'),('Hamish'),('Hanna'),
 ('Ines'),('Isak'),('Jarek'),('Joan'),('Kirsty'),('Lars'),('Leila'),('Magnus'),('Maeve'),('Mirjam'),
 ('Neil'),('Nuala'),('Olga'),('Oskar'),('Petra'),('Ruairi'),('Sanna'),('Tomas'),('Una'),('Yusuf');
CREATE TEMP TABLE family(k INTEGER PRIMARY KEY, name TEXT);
INSERT INTO family(name) VALUES
 ('Abara'),('Baird'),('Benn'),('Brandt'),('Carrick'),('Cole'),('Dahl'),('Drummond'),('Ekholm'),('Farrell'),
 ('Flett'),('Gunn'),('Halcro'),('Haddad'),('Isbister'),('Jansen'),('Keane'),('Kowal'),('Leask'),('Linklater'),
 ('MacRae'),('Moar'),('Nilsen'),('O''Dowd'),('Okafor'),('Peace'),('Quinn'),('Rendall'),('Rossi'),('Sabiston'),
 ('Sinclair'),('Tait'),('Tulloch'),('Ulloa'),('Vance'),('Wylie'),('Yorston'),('Zeman');
