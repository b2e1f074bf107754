SELECT 'b' /* q0 */ FROM t
SELECT 'c' /* q1 */ FROM t
SELECT 'b' /* q2 */ /* again */ FROM t
SELECT 'b' /* q3 */ FROM t
SELECT 'a' /* q4 */ FROM t
SELECT NULL
