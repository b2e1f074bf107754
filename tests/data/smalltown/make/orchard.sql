-- A growers' cooperative: who grows what where, what was picked, what was sold.
CREATE TABLE grower(grower_id INTEGER PRIMARY KEY, name TEXT, village TEXT, joined INTEGER, left INTEGER, organic TEXT, chair_since TEXT); -- organic: yes, no, converting
INSERT INTO grower
SELECT i, f.name || CASE i % 4 WHEN 0 THEN ' & Sons' WHEN 1 THEN ' Farm' WHEN 2 THEN ' Fruit' ELSE '' END,
  CASE c % 6 WHEN 0 THEN 'Upper Stour' WHEN 1 THEN 'Lower Stour' WHEN 2 THEN 'Haselbech' WHEN 3 THEN 'Pomeroy' WHEN 4 THEN 'Stour' ELSE 'Pomeroy' END,
  1978 + d % 46, CASE WHEN e % 9 = 0 THEN 2024 - e % 5 END, CASE f.k % 5 WHEN 0 THEN 'yes' WHEN 1 THEN 'yes' WHEN 2 THEN 'converting' ELSE 'no' END, NULL
FROM dice JOIN family f ON f.k = 1 + (i * 11) % 38 WHERE dice.i <= 34 ORDER BY dice.i;
UPDATE grower SET chair_since = '2021-03-01' WHERE grower_id = 12;
UPDATE grower SET left = NULL WHERE left < joined;

CREATE TABLE plot(plot_id INTEGER PRIMARY KEY, grower_id INTEGER REFERENCES grower(grower_id), name TEXT, area_ha REAL, soil TEXT, altitude_m INTEGER, irrigated INTEGER);
CREATE TEMP TABLE field(k INTEGER PRIMARY KEY, name TEXT);
INSERT INTO field(name) VALUES ('Long Acre'),('Church Field'),('Top Piece'),('The Hangings'),('Brook Meadow'),('Old Nursery'),('South Slope'),('Quarry Side'),('Hop Garden'),('Far Corner');
INSERT INTO plot
SELECT i - 100, 1 + min(a % 34, b % 36), fl.name, round(0.3 + (c % 60) / 10.0, 1), CASE d % 4 WHEN 0 THEN 'loam' WHEN 1 THEN 'clay' WHEN 2 THEN 'sand' ELSE 'clay loam' END,
  CASE WHEN e % 14 = 0 THEN NULL ELSE 40 + e % 210 END, f % 3 = 0
FROM dice JOIN field fl ON fl.k = 1 + e % 10 WHERE dice.i BETWEEN 101 AND 190 ORDER BY dice.i;

CREATE TABLE variety(variety_id INTEGER PRIMARY KEY, name TEXT, fruit TEXT, use TEXT, ripens INTEGER, heritage INTEGER, parent_id INTEGER REFERENCES variety(variety_id)); -- use: dessert, cooking, cider, perry; ripens: month
INSERT INTO variety VALUES (1,'Stour Russet','Apple','dessert',10,1,NULL),(2,'Pomeroy Beauty','Apple','dessert',9,1,NULL),(3,'Haselbech Seedling','Apple','cooking',10,1,1),
 (4,'Red Alder','Apple','dessert',8,0,2),(5,'Captain Tull','Apple','cider',11,1,NULL),(6,'Brown Thorn','Apple','cider',11,0,5),(7,'Vicar''s Green','Apple','cooking',9,1,NULL),
 (8,'Goldwin','Apple','dessert',9,0,2),(9,'Painted Lady','Pear','dessert',9,0,NULL),(10,'Winter Nell','Pear','cooking',11,1,NULL),(11,'Oldfield Perry','Pear','perry',10,1,NULL),
 (12,'Blue Monk','Plum','dessert',8,1,NULL),(13,'Egg Yellow','Plum','cooking',8,0,12),(14,'Early Stour','Cherry','dessert',6,1,NULL),(15,'Black Nun','Cherry','dessert',7,0,14),
 (16,'Hedge Damson','Plum','cooking',NULL,1,NULL),(17,'Morrow','Apple','dessert',10,0,1);

CREATE TABLE planting(plot_id INTEGER REFERENCES plot(plot_id), variety_id INTEGER REFERENCES variety(variety_id), trees INTEGER, planted INTEGER, PRIMARY KEY(plot_id, variety_id));
INSERT OR IGNORE INTO planting SELECT 1 + i % 88, 1 + min(a % 15, b % 17), 20 + 5 * (c % 60), CASE WHEN d % 12 = 0 THEN NULL ELSE 1950 + max(d % 72, e % 72) END FROM dice WHERE i <= 190;

CREATE TABLE harvest(harvest_id INTEGER PRIMARY KEY, plot_id INTEGER REFERENCES plot(plot_id), variety_id INTEGER REFERENCES variety(variety_id), day TEXT, kilos REAL, grade TEXT, picked_by TEXT); -- picked_by: hand, machine
INSERT INTO harvest
SELECT d.i - 700, p.plot_id, p.variety_id,
  date((2021 + d.a % 4) || '-' || printf('%02d', coalesce(v.ripens, 9)) || '-01', '+' || (d.b % 34) || ' days'),
  20 + (d.c % 1500), CASE d.d % 7 WHEN 0 THEN 'C' WHEN 1 THEN 'B' WHEN 2 THEN 'B' WHEN 3 THEN NULL ELSE 'A' END, CASE WHEN v.use IN ('cider', 'perry') AND d.e % 3 > 0 THEN 'machine' ELSE 'hand' END
FROM dice d JOIN (SELECT row_number() OVER (ORDER BY plot_id, variety_id) AS k, * FROM planting WHERE trees > 25) p ON p.k = 1 + d.f % 140 JOIN variety v USING(variety_id)
WHERE d.i BETWEEN 701 AND 1600 ORDER BY d.i;

CREATE TABLE buyer(buyer_id INTEGER PRIMARY KEY, name TEXT, kind TEXT, city TEXT, credit_limit REAL);
INSERT INTO buyer VALUES (1,'Castlerow Grocers ','shop','Castlerow',2000),(2,'Fenn Cider','press','Brigg',9000),(3,'The Corner Bakery','bakery','Alder',600),(4,'Northern Fruit Ltd','wholesale','Wexcombe',25000),
 (5,'Saturday Market','market','Alder',NULL),(6,'St Anne''s School','school','Brigg',800),(7,'Jam & Co','factory','Wexcombe',7000),(8,'Hotel Meridian','hotel','Castlerow',1500),
 (9,'Brigg Market','market','Brigg',NULL),(10,'Tull''s Press','press','Pomeroy',3000),(11,'Green Basket','shop','Alder',1200),(12,'Ostler Wholesale','Wholesale','Castlerow',18000),(13,'Abbey Perry','press','Stour',2500);

CREATE TABLE sale(sale_id INTEGER PRIMARY KEY, buyer_id INTEGER REFERENCES buyer(buyer_id), grower_id INTEGER REFERENCES grower(grower_id), variety_id INTEGER REFERENCES variety(variety_id),
  sold TEXT, kilos REAL, price_per_kg REAL, delivered TEXT, paid TEXT);
INSERT INTO sale
SELECT d.i - 1600, CASE v.use WHEN 'cider' THEN CASE d.b % 3 WHEN 0 THEN 10 ELSE 2 END WHEN 'perry' THEN 13 ELSE 1 + min(d.b % 12, d.c % 13) END, p.grower_id, h.variety_id,
  date(h.day, '+' || (d.d % 30) || ' days'), 10 + (d.e % 60) * 5, round(CASE v.fruit WHEN 'Cherry' THEN 4.2 WHEN 'Plum' THEN 1.9 WHEN 'Pear' THEN 1.4 ELSE 1.1 END * (0.6 + (d.f % 80) / 100.0) * CASE WHEN v.use IN ('cider', 'perry') THEN 0.3 ELSE 1 END, 2),
  CASE WHEN d.f % 20 = 0 THEN NULL ELSE date(h.day, '+' || (d.d % 30 + d.a % 9) || ' days') END, CASE WHEN d.c % 9 = 0 THEN NULL ELSE date(h.day, '+' || (d.d % 30 + 5 + d.c % 60) || ' days') END
FROM dice d JOIN harvest h ON h.harvest_id = 1 + d.a % 900 JOIN plot p USING(plot_id) JOIN variety v USING(variety_id)
WHERE d.i BETWEEN 1601 AND 2400 ORDER BY d.i;

CREATE TABLE inspection(inspection_id INTEGER PRIMARY KEY, plot_id INTEGER REFERENCES plot(plot_id), day TEXT, inspector TEXT, result TEXT, residue_ppm REAL); -- result: pass, fail, repeat
INSERT INTO inspection
SELECT i - 2500, 1 + a % 86, date('2021-04-01', '+' || (b % 1300) || ' days'), CASE c % 4 WHEN 0 THEN 'H. Wylie' WHEN 1 THEN 'R. Benn' WHEN 2 THEN 'h. wylie' ELSE 'S. Okafor' END,
  CASE WHEN d % 10 = 0 THEN 'fail' WHEN d % 10 = 1 THEN 'repeat' ELSE 'pass' END, CASE WHEN e % 5 = 0 THEN NULL ELSE round((f % 90) / 1000.0, 3) END
FROM dice WHERE i BETWEEN 2501 AND 2620 ORDER BY i;
