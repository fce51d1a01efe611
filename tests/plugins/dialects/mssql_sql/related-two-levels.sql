select top(20001) "t"."Order" as "Order", "t"."OrderNo" as "OrderNo", "t"."Guid" as "Guid" from "sales"."Line" as "t" where exists (select 1 from (select "t"."CustomerId" as "CustomerId", "t"."No" as "No" from (select "t"."CustomerId" as "CustomerId", "t"."No" as "No", "t"."Total" as "Total", "t"."At" as "At", "t"."Version" as "Version" from "sales"."Order" as "t" where "t"."CustomerId" in (select "t"."Id" as "Id" from (select "t"."Id" as "Id", "t"."Name" as "Name", "t"."City" as "City" from "dbo"."Customer" as "t" where ("t"."City" = @1) order by "t"."Id" asc offset @2 rows fetch next @3 rows only) as "t")) as "t") as "o" where "o"."CustomerId" = "t"."Order" and "o"."No" = "t"."OrderNo") order by "t"."Guid" asc
-- @1 VarChar(8000) Bern
-- @2 BigInt 0
-- @3 BigInt 100
