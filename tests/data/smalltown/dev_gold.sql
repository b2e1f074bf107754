SELECT COUNT(*) FROM member WHERE category = 'senior' AND email IS NULL	library
SELECT title, published FROM title WHERE language = 'fre' AND pages > 400	library
SELECT name FROM author WHERE author_id IN (SELECT author_id FROM title_author WHERE role = 'translator') AND author_id NOT IN (SELECT author_id FROM title_author WHERE role = 'author')	library
SELECT t.title FROM copy c JOIN title t ON t.title_id = c.title_id JOIN branch b ON b.branch_id = c.branch_id WHERE b.name = 'Harbour' ORDER BY c.price DESC LIMIT 1	library
SELECT COUNT(*) FROM loan l JOIN copy c ON c.copy_id = l.copy_id JOIN branch d ON d.branch_id = l.issued_at JOIN branch p ON p.branch_id = c.branch_id WHERE d.name = 'Harbour' AND p.name = 'Mill Lane'	library
SELECT DISTINCT m.first_name, m.last_name FROM member m JOIN loan l ON l.member_id = m.member_id WHERE m.blocked = 1 AND l.returned IS NULL	library
SELECT AVG(julianday(returned) - julianday(due)) FROM loan WHERE returned > due	library
SELECT t.genre, SUM(l.fine) AS total FROM loan l JOIN copy c ON c.copy_id = l.copy_id JOIN title t ON t.title_id = c.title_id GROUP BY t.genre ORDER BY total DESC LIMIT 1	library
SELECT COUNT(DISTINCT c.title_id) FROM copy c JOIN branch b ON b.branch_id = c.branch_id WHERE b.name = 'Bookbus' AND c.state = 'shelf'	library
SELECT DISTINCT m.email FROM member m JOIN hold h ON h.member_id = m.member_id WHERE h.placed > m.expires AND m.email IS NOT NULL	library
SELECT COUNT(*) FROM loan l JOIN branch b ON b.branch_id = l.issued_at WHERE b.name = 'Northgate' AND l.taken BETWEEN date(b.closed, '-9 days') AND b.closed	library
SELECT 100.0 * SUM(status = 'X') / COUNT(*) FROM hold	library
SELECT title FROM title WHERE title_id NOT IN (SELECT title_id FROM title_author WHERE role = 'author')	library
SELECT member_id, COUNT(*) AS n FROM loan WHERE taken LIKE '2022%' GROUP BY member_id ORDER BY n DESC LIMIT 1	library
SELECT COUNT(DISTINCT t.title_id) FROM title t JOIN copy c ON c.title_id = t.title_id LEFT JOIN loan l ON l.copy_id = c.copy_id WHERE t.genre = 'Children' AND t.published < 1970 AND l.loan_id IS NULL	library
SELECT a.name FROM title t JOIN title_author ta ON ta.title_id = t.title_id AND ta.role = 'author' JOIN author a ON a.author_id = ta.author_id WHERE t.series = 'Island Tales' AND t.pages = (SELECT MAX(pages) FROM title WHERE series = 'Island Tales')	library
SELECT DISTINCT m.first_name, m.last_name FROM hold h JOIN member m ON m.member_id = h.member_id JOIN branch b ON b.branch_id = h.pickup_branch WHERE m.category = 'child' AND h.status = 'R' AND b.name = 'Mill Lane'	library
SELECT name FROM port WHERE has_ramp = 'N'	ferry
SELECT COUNT(*) FROM sailing WHERE status = 'Cancelled' AND lower(cause) = 'fog'	ferry
SELECT s.name, date(x.departs) FROM sailing x JOIN ship s ON s.ship_id = x.ship_id WHERE x.departs LIKE '2024%' ORDER BY x.delay_min DESC LIMIT 1	ferry
SELECT COUNT(*) FROM booking b JOIN passenger p ON p.passenger_id = b.passenger_id WHERE p.island = 'Westra' AND b.vehicle = 'car' AND b.class = 'deck'	ferry
SELECT SUM(b.fare) FROM booking b JOIN sailing s ON s.sailing_id = b.sailing_id WHERE lower(b.class) = 'cabin' AND s.status <> 'Cancelled'	ferry
SELECT c.name FROM crew c JOIN ship s ON s.ship_id = c.ship_id WHERE s.name = 'Skerryman' AND c.rank = 'Master' AND c.left IS NULL	ferry
SELECT o.name, d.name FROM sailing s JOIN route r ON r.route_id = s.route_id JOIN port o ON o.code = r.origin JOIN port d ON d.code = r.destination WHERE s.status = 'Cancelled' GROUP BY r.route_id HAVING COUNT(*) = (SELECT COUNT(*) FROM sailing WHERE status = 'Cancelled' GROUP BY route_id ORDER BY COUNT(*) DESC LIMIT 1)	ferry
SELECT COUNT(*) FROM (SELECT b.passenger_id FROM booking b JOIN sailing s ON s.sailing_id = b.sailing_id WHERE s.departs LIKE '2024%' AND s.status <> 'Cancelled' GROUP BY b.passenger_id HAVING SUM(b.boarded IS NOT 1) = 0)	ferry
SELECT MAX(julianday(date(s.departs)) - julianday(b.booked)) FROM booking b JOIN sailing s ON s.sailing_id = b.sailing_id JOIN ship x ON x.ship_id = s.ship_id WHERE x.name = 'Thora'	ferry
SELECT name FROM ship WHERE CAST(strftime('%Y', entered_service) AS INTEGER) > built	ferry
SELECT c.name FROM crew c JOIN ship s ON s.ship_id = c.ship_id WHERE s.retired IS NOT NULL AND c.left IS NULL	ferry
SELECT AVG(s.delay_min) FROM sailing s JOIN route r ON r.route_id = s.route_id JOIN port p ON p.code = r.origin WHERE p.name = 'Scrabster Bay' AND s.status = 'Late'	ferry
SELECT DISTINCT s.sailing_id FROM incident i JOIN sailing s ON s.sailing_id = i.sailing_id WHERE i.severity >= 4 AND julianday(i.reported) - julianday(date(s.departs)) >= 2	ferry
SELECT COUNT(card_no) FROM passenger	ferry
SELECT p.island FROM booking b JOIN passenger p ON p.passenger_id = b.passenger_id WHERE p.island IS NOT NULL GROUP BY p.island HAVING AVG(b.fare) > (SELECT AVG(b2.fare) FROM booking b2 JOIN passenger p2 ON p2.passenger_id = b2.passenger_id WHERE p2.island IS NULL)	ferry
SELECT COUNT(*) FROM sailing s JOIN route r ON r.route_id = s.route_id WHERE r.season = 'winter'	ferry
SELECT DISTINCT p.name FROM passenger p JOIN booking b ON b.passenger_id = p.passenger_id JOIN sailing s ON s.sailing_id = b.sailing_id JOIN ship x ON x.ship_id = s.ship_id WHERE p.island = 'Unsta' AND x.pax_capacity > 250	ferry
SELECT COUNT(*) FROM animal WHERE species = 'Dog' AND died IS NULL	vet
SELECT o.name FROM owner o JOIN animal a ON a.owner_id = o.owner_id WHERE o.town = 'Alder' GROUP BY o.owner_id HAVING COUNT(*) >= 3	vet
SELECT SUM(amount) FROM invoice WHERE paid_on IS NULL AND issued LIKE '2023%'	vet
SELECT SUM(amount) FROM invoice WHERE lower(method) = 'card' AND paid_on BETWEEN '2023-07-01' AND '2023-12-31'	vet
SELECT COUNT(*) FROM visit WHERE lower(trim(reason)) = 'check-up' AND day LIKE '2024%'	vet
SELECT v.name FROM vet v JOIN visit x ON x.vet_id = v.vet_id GROUP BY v.vet_id ORDER BY COUNT(DISTINCT x.animal_id) DESC LIMIT 1	vet
SELECT b.name FROM vet v JOIN vet a ON a.vet_id = v.supervisor JOIN vet b ON b.vet_id = a.supervisor WHERE v.name = 'Siobhan Daly'	vet
SELECT AVG(v.weight_kg) FROM visit v JOIN animal a ON a.animal_id = v.animal_id WHERE a.breed = 'Greyhound'	vet
SELECT a.name FROM animal a JOIN vaccination v ON v.animal_id = a.animal_id WHERE v.vaccine = 'rabies' AND a.died IS NULL GROUP BY a.animal_id HAVING MAX(v.valid_until) <= '2024-12-31'	vet
SELECT name FROM treatment WHERE code NOT IN (SELECT vt.code FROM visit_treatment vt JOIN visit v ON v.visit_id = vt.visit_id JOIN animal a ON a.animal_id = v.animal_id WHERE a.species = 'Tortoise')	vet
SELECT COUNT(DISTINCT v.visit_id) FROM visit v JOIN visit_treatment vt ON vt.visit_id = v.visit_id JOIN treatment t ON t.code = vt.code WHERE t.active = 'no' AND v.day LIKE '2024%'	vet
SELECT 100.0 * SUM(CASE WHEN julianday(paid_on) - julianday(issued) <= 14 THEN 1 ELSE 0 END) / COUNT(*) FROM invoice	vet
SELECT a.name, o.name FROM visit v JOIN animal a ON a.animal_id = v.animal_id JOIN owner o ON o.owner_id = a.owner_id ORDER BY v.weight_kg DESC LIMIT 1	vet
SELECT o.name FROM owner o JOIN owner r ON r.owner_id = o.referred_by WHERE r.town <> o.town	vet
SELECT COUNT(*) FROM visit f JOIN visit p ON p.visit_id = f.follow_up_to WHERE f.vet_id <> p.vet_id	vet
SELECT COUNT(*) FROM animal WHERE died < date(born, '+5 years')	vet
SELECT name FROM animal WHERE species = 'Dog' GROUP BY name HAVING COUNT(*) >= 4	vet
SELECT name FROM grower WHERE village = 'Stour' AND organic = 'yes'	orchard
SELECT SUM(h.kilos) FROM harvest h JOIN variety v ON v.variety_id = h.variety_id WHERE v.fruit = 'Apple' AND v.use = 'cooking' AND h.day LIKE '2023%'	orchard
SELECT name FROM buyer WHERE buyer_id NOT IN (SELECT s.buyer_id FROM sale s JOIN variety v ON v.variety_id = s.variety_id WHERE v.fruit = 'Pear')	orchard
SELECT SUM(s.kilos * s.price_per_kg) / SUM(s.kilos) FROM sale s JOIN buyer b ON b.buyer_id = s.buyer_id WHERE trim(b.name) = 'Castlerow Grocers'	orchard
SELECT c.name FROM variety c JOIN variety p ON p.variety_id = c.parent_id WHERE p.name = 'Stour Russet'	orchard
SELECT p.plot_id FROM harvest h JOIN plot p ON p.plot_id = h.plot_id WHERE h.day LIKE '2022%' GROUP BY p.plot_id ORDER BY SUM(h.kilos) / p.area_ha DESC LIMIT 1	orchard
SELECT AVG(CASE WHEN picked_by = 'machine' THEN kilos END) - AVG(CASE WHEN picked_by = 'hand' THEN kilos END) FROM harvest	orchard
SELECT name FROM grower WHERE left - joined >= 10	orchard
SELECT COUNT(*) FROM sale WHERE julianday(delivered) - julianday(sold) > 7	orchard
SELECT v.name FROM variety v JOIN sale s ON s.variety_id = v.variety_id GROUP BY v.variety_id HAVING AVG(CASE WHEN s.sold LIKE '2024%' THEN s.price_per_kg END) > AVG(CASE WHEN s.sold LIKE '2023%' THEN s.price_per_kg END)	orchard
SELECT SUM(x.trees) FROM planting x JOIN plot p ON p.plot_id = x.plot_id WHERE x.planted < 1975 AND p.irrigated = 1	orchard
SELECT COUNT(*) FROM inspection WHERE lower(inspector) = 'h. wylie' AND result <> 'pass'	orchard
SELECT plot_id FROM plot WHERE plot_id NOT IN (SELECT plot_id FROM inspection)	orchard
SELECT i.plot_id FROM inspection i WHERE i.result <> 'pass' AND i.day = (SELECT MAX(day) FROM inspection x WHERE x.plot_id = i.plot_id)	orchard
SELECT b.name FROM buyer b JOIN sale s ON s.buyer_id = b.buyer_id WHERE s.paid IS NULL GROUP BY b.buyer_id HAVING SUM(s.kilos * s.price_per_kg) > b.credit_limit	orchard
SELECT COUNT(*) FROM harvest h JOIN variety v ON v.variety_id = h.variety_id WHERE CAST(strftime('%m', h.day) AS INTEGER) > v.ripens	orchard
SELECT g.village FROM grower g JOIN plot p ON p.grower_id = g.grower_id JOIN harvest h ON h.plot_id = p.plot_id GROUP BY g.village HAVING SUM(CASE WHEN h.grade = 'A' THEN h.kilos ELSE 0 END) > SUM(CASE WHEN h.grade IN ('B', 'C') THEN h.kilos ELSE 0 END)	orchard
