select convert(varchar(41), "t"."Total") as "Total" from (select distinct "t"."Total" as "Total" from "sales"."Order" as "t") as "t" order by "t"."Total" asc offset @1 rows fetch next @2 rows only
-- @1 BigInt 0
-- @2 BigInt 100
