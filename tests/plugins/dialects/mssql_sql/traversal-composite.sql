select "t"."Order" as "Order", "t"."OrderNo" as "OrderNo", "t"."Guid" as "Guid" from "sales"."Line" as "t" where exists (select 1 from (select "t"."CustomerId" as "CustomerId", "t"."No" as "No" from "sales"."Order" as "t" where ("t"."CustomerId" = @1) and ("t"."No" = @2)) as "o" where "o"."CustomerId" = "t"."Order" and "o"."No" = "t"."OrderNo") order by "t"."Guid" asc offset @3 rows fetch next @4 rows only
-- @1 Int 1
-- @2 VarChar(8000) A
-- @3 BigInt 0
-- @4 BigInt 100
