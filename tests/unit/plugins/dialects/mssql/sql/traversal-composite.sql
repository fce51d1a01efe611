select "t"."Order" as "Order", "t"."OrderNo" as "OrderNo", "t"."Guid" as "Guid" from "sales"."Line" as "t" where exists (select 1 from (select "t"."CustomerId" as "CustomerId", "t"."No" as "No" from "sales"."Order" as "t" where ("t"."CustomerId" = @rowhouse_1) and ("t"."No" = @rowhouse_2)) as "o" where "o"."CustomerId" = "t"."Order" and "o"."No" = "t"."OrderNo") order by "t"."Guid" asc offset @rowhouse_3 rows fetch next @rowhouse_4 rows only
-- @rowhouse_1 Int 1
-- @rowhouse_2 VarChar(8000) A
-- @rowhouse_3 BigInt 0
-- @rowhouse_4 BigInt 100
