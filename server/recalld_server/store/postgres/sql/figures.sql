-- name: operator
SELECT * FROM operator_figures()
