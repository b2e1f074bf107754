-- An animal practice: who came, what was done, who paid.
CREATE TABLE owner(owner_id INTEGER PRIMARY KEY, name TEXT, town TEXT, phone TEXT, registered TEXT, referred_by INTEGER REFERENCES owner(owner_id));
INSERT INTO owner
SELECT i, g.name || ' ' || f.name,
  CASE c % 7 WHEN 0 THEN 'Alder' WHEN 1 THEN 'Alder' WHEN 2 THEN 'Brigg' WHEN 3 THEN 'Castlerow' WHEN 4 THEN 'Brigg' WHEN 5 THEN 'Dunmoor' ELSE 'Alder Green' END,
  CASE WHEN d % 6 = 0 THEN NULL ELSE printf('0%d %06d', 1400 + d % 9, e % 999999) END,
  date('2015-02-01', '+' || (e % 3500) || ' days'), CASE WHEN f % 5 = 0 AND i > 20 THEN 1 + f % 20 END
FROM dice JOIN given g ON g.k = 1 + c % 40 JOIN family f ON f.k = 1 + d % 38 WHERE dice.i <= 140 ORDER BY dice.i;

CREATE TABLE animal(
  animal_id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owner(owner_id), name TEXT, species TEXT, breed TEXT, sex TEXT, -- F, M, FN, MN (N: neutered)
  born TEXT, died TEXT, chip TEXT);
CREATE TEMP TABLE pet(k INTEGER PRIMARY KEY, name TEXT);
INSERT INTO pet(name) VALUES ('Biscuit'),('Moss'),('Juno'),('Pepper'),('Tove'),('Brack'),('Misty'),('Ghost'),('Clementine'),('Otto'),('Nell'),('Smokey'),
 ('Fidget'),('Hector'),('Luna'),('Tansy'),('Rex'),('Olive'),('Bramble'),('Ziggy'),('Duchess'),('Pilot'),('Sorrel');
INSERT INTO animal
SELECT i - 300, 1 + a % 136, p.name,
  CASE WHEN b % 20 < 9 THEN 'Dog' WHEN b % 20 < 16 THEN 'Cat' WHEN b % 20 < 18 THEN 'Rabbit' WHEN b % 20 < 19 THEN 'Tortoise' ELSE 'Parrot' END,
  CASE WHEN b % 20 < 9 THEN CASE c % 6 WHEN 0 THEN 'Border Collie' WHEN 1 THEN 'Labrador' WHEN 2 THEN 'Terrier' WHEN 3 THEN 'Greyhound' WHEN 4 THEN 'mixed' ELSE 'labrador' END
    WHEN b % 20 < 16 THEN CASE c % 5 WHEN 0 THEN 'Siamese' WHEN 1 THEN 'Maine Coon' WHEN 2 THEN NULL ELSE 'Domestic Shorthair' END
    WHEN b % 20 < 18 THEN CASE c % 2 WHEN 0 THEN 'Lop' ELSE 'mixed' END END,
  CASE d % 5 WHEN 0 THEN 'F' WHEN 1 THEN 'M' WHEN 2 THEN 'FN' WHEN 3 THEN 'MN' ELSE 'FN' END,
  CASE WHEN e % 11 = 0 THEN NULL ELSE date('2008-05-01', '+' || (e % 5700) || ' days') END,
  CASE WHEN f % 8 = 0 THEN date('2022-03-01', '+' || (f % 950) || ' days') END,
  CASE WHEN f % 3 > 0 THEN printf('9851%08d', f % 99999999) END
FROM dice JOIN pet p ON p.k = 1 + c % 23 WHERE dice.i BETWEEN 301 AND 510 ORDER BY dice.i;
UPDATE animal SET died = NULL WHERE died <= born;

CREATE TABLE vet(vet_id INTEGER PRIMARY KEY, name TEXT, field TEXT, started TEXT, ended TEXT, supervisor INTEGER REFERENCES vet(vet_id));
INSERT INTO vet VALUES (1,'Ottoline Hay','surgery','2009-09-01',NULL,NULL),(2,'Rafael Sousa','general','2014-01-13',NULL,1),
 (3,'Ingrid Moe','exotics','2016-05-02',NULL,1),(4,'Paul Achterberg','general','2012-08-20','2023-06-30',1),
 (5,'Siobhan Daly','dentistry','2019-10-07',NULL,2),(6,'Marek Lis','general','2023-02-06',NULL,2),(7,'Joy Adeyemi','exotics','2024-09-02',NULL,3);

CREATE TABLE treatment(code TEXT PRIMARY KEY, name TEXT, category TEXT, price REAL, active TEXT);
INSERT INTO treatment VALUES ('C01','Consultation','consult',42,'yes'),('C02','Follow-up consultation','consult',25,'yes'),('C03','Night call','consult',130,'yes'),
 ('V01','Rabies vaccine','vaccine',38.5,'yes'),('V02','Distemper vaccine','vaccine',34,'yes'),('V03','Feline leukaemia vaccine','vaccine',36,'yes'),('V04','Myxomatosis vaccine','vaccine',31,'yes'),
 ('S01','Neutering','surgery',185,'yes'),('S02','Tooth extraction','surgery',140,'yes'),('S03','Fracture repair','surgery',760,'yes'),('S04','Lump removal','surgery',240,'yes'),
 ('L01','Blood panel','lab',68,'yes'),('L02','X-ray','lab',95,'yes'),('L03','Ultrasound','lab',110,'yes'),('M01','Antibiotics','medicine',18.5,'yes'),
 ('M02','Pain relief','medicine',12,'yes'),('M03','Worming tablet','medicine',7.2,'yes'),('M04','Flea collar','medicine',14,'no'),('D01','Dental cleaning','dental',120,'yes'),('D02','Scale and polish','dental',85,'no');

CREATE TABLE visit(
  visit_id INTEGER PRIMARY KEY, animal_id INTEGER NOT NULL REFERENCES animal(animal_id), vet_id INTEGER REFERENCES vet(vet_id),
  day TEXT, reason TEXT, weight_kg REAL, follow_up_to INTEGER REFERENCES visit(visit_id));
INSERT INTO visit
SELECT i - 600, 1 + min(a % 200, b % 210), CASE c % 14 WHEN 0 THEN NULL WHEN 1 THEN 1 WHEN 2 THEN 1 WHEN 3 THEN 2 WHEN 4 THEN 2 WHEN 5 THEN 2 WHEN 6 THEN 3 WHEN 7 THEN 3 WHEN 8 THEN 4 WHEN 9 THEN 5 WHEN 10 THEN 5 ELSE 6 END,
  date('2022-01-04', '+' || ((i - 600) * 1040 / 850) || ' days'),
  CASE d % 9 WHEN 0 THEN 'limping' WHEN 1 THEN 'vaccination' WHEN 2 THEN 'vaccination' WHEN 3 THEN 'not eating' WHEN 4 THEN 'check-up' WHEN 5 THEN 'Check-up' WHEN 6 THEN 'teeth' WHEN 7 THEN 'skin' ELSE 'check-up ' END,
  NULL, NULL
FROM dice WHERE i BETWEEN 601 AND 1450 ORDER BY i;
UPDATE visit SET weight_kg = (SELECT CASE WHEN d.e % 12 = 0 THEN NULL ELSE round(CASE a.species WHEN 'Dog' THEN 8 + (a.animal_id * 37 % 280) / 10.0 WHEN 'Cat' THEN 2.8 + (a.animal_id * 37 % 40) / 10.0
   WHEN 'Rabbit' THEN 1.1 + (a.animal_id % 14) / 10.0 WHEN 'Tortoise' THEN 0.9 + (a.animal_id % 30) / 10.0 ELSE 0.4 END * (0.92 + (d.e % 17) / 100.0), 1) END
   FROM animal a, dice d WHERE a.animal_id = visit.animal_id AND d.i = visit.visit_id + 600);
UPDATE visit SET vet_id = 2 WHERE vet_id = 4 AND day > '2023-06-30';
UPDATE visit SET vet_id = 5 WHERE vet_id = 6 AND day < '2023-02-06';
UPDATE visit SET follow_up_to = (SELECT max(p.visit_id) FROM visit p WHERE p.animal_id = visit.animal_id AND p.visit_id < visit.visit_id)
 WHERE visit_id % 6 = 0;

CREATE TABLE visit_treatment(visit_id INTEGER REFERENCES visit(visit_id), code TEXT REFERENCES treatment(code), quantity INTEGER, discount_pct REAL, PRIMARY KEY(visit_id, code));
INSERT INTO visit_treatment SELECT visit_id, CASE WHEN follow_up_to IS NULL THEN 'C01' ELSE 'C02' END, 1, NULL FROM visit WHERE visit_id % 13 <> 0;
INSERT OR IGNORE INTO visit_treatment SELECT v.visit_id, CASE a.species WHEN 'Dog' THEN CASE v.visit_id % 2 WHEN 0 THEN 'V01' ELSE 'V02' END WHEN 'Cat' THEN 'V03' WHEN 'Rabbit' THEN 'V04' ELSE 'M03' END, 1, NULL
 FROM visit v JOIN animal a USING(animal_id) WHERE v.reason = 'vaccination';
INSERT OR IGNORE INTO visit_treatment SELECT v.visit_id, CASE d.b % 14 WHEN 0 THEN 'L01' WHEN 1 THEN 'L02' WHEN 2 THEN 'M01' WHEN 3 THEN 'M02' WHEN 4 THEN 'M03' WHEN 5 THEN 'S04' WHEN 6 THEN 'L03' WHEN 7 THEN 'M04' WHEN 8 THEN 'S01' WHEN 9 THEN 'M01' WHEN 10 THEN 'L01' WHEN 11 THEN 'M02' WHEN 12 THEN 'C03' ELSE 'M03' END,
  1 + (d.c % 4 = 0) + (d.c % 12 = 0), CASE WHEN d.d % 6 = 0 THEN 10 WHEN d.d % 6 = 1 THEN 25 WHEN d.d % 6 = 2 THEN 0 END FROM visit v JOIN dice d ON d.i = v.visit_id WHERE v.reason <> 'vaccination' AND d.e % 4 > 0;
INSERT OR IGNORE INTO visit_treatment SELECT visit_id, CASE visit_id % 3 WHEN 0 THEN 'S02' WHEN 1 THEN 'D01' ELSE 'D02' END, 1, CASE WHEN visit_id % 4 = 0 THEN 15 END FROM visit WHERE reason = 'teeth';
INSERT OR IGNORE INTO visit_treatment SELECT visit_id, 'S03', 1, NULL FROM visit WHERE reason = 'limping' AND visit_id % 8 = 3;

CREATE TABLE vaccination(vaccination_id INTEGER PRIMARY KEY, animal_id INTEGER REFERENCES animal(animal_id), vaccine TEXT, given TEXT, valid_until TEXT, batch TEXT);
INSERT INTO vaccination(animal_id, vaccine, given, valid_until, batch)
SELECT v.animal_id, CASE vt.code WHEN 'V01' THEN 'rabies' WHEN 'V02' THEN 'distemper' WHEN 'V03' THEN 'leukaemia' ELSE 'myxomatosis' END, v.day,
  CASE WHEN v.visit_id % 17 = 0 THEN NULL ELSE date(v.day, CASE vt.code WHEN 'V01' THEN '+3 years' ELSE '+1 year' END) END, printf('B%02d-%s', v.visit_id % 23, substr(v.day, 3, 2))
FROM visit v JOIN visit_treatment vt USING(visit_id) WHERE vt.code LIKE 'V%' ORDER BY v.visit_id;

CREATE TABLE invoice(invoice_id INTEGER PRIMARY KEY, visit_id INTEGER UNIQUE REFERENCES visit(visit_id), issued TEXT, amount REAL, paid_on TEXT, method TEXT);
INSERT INTO invoice
SELECT 5000 + v.visit_id, v.visit_id, date(v.day, CASE WHEN v.visit_id % 4 = 0 THEN '+3 days' ELSE '+0 days' END),
  (SELECT round(sum(vt.quantity * t.price * (1 - coalesce(vt.discount_pct, 0) / 100)), 2) FROM visit_treatment vt JOIN treatment t USING(code) WHERE vt.visit_id = v.visit_id),
  CASE WHEN d.a % 15 = 0 THEN NULL ELSE date(v.day, '+' || (d.a % 40) || ' days') END,
  CASE WHEN d.a % 15 = 0 THEN NULL WHEN d.b % 10 < 5 THEN 'card' WHEN d.b % 10 < 7 THEN 'cash' WHEN d.b % 10 < 8 THEN 'Card' WHEN d.b % 10 < 9 THEN 'transfer' ELSE 'insurance' END
FROM visit v JOIN dice d ON d.i = v.visit_id + 1500 WHERE EXISTS (SELECT 1 FROM visit_treatment x WHERE x.visit_id = v.visit_id) ORDER BY v.visit_id;
UPDATE invoice SET paid_on = issued WHERE paid_on < issued;
