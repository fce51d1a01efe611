select convert(varchar(41), "t"."Total") as "Total" from (select distinct "t"."Total" as "Total" from "sales"."Order" as "t") as "t" order by "t"."Total" asc offset @rowhouse_1 rows fetch next @rowhouse_2 rows only
-- @rowhouse_1 BigInt 0
-- @rowhouse_2 BigInt 100
