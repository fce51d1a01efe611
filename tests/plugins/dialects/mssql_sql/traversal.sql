select "t"."CustomerId" as "CustomerId", "t"."No" as "No", convert(varchar(41), "t"."Total") as "Total", "t"."At" as "At", "t"."Version" as "Version" from "sales"."Order" as "t" where "t"."CustomerId" in (select "t"."Id" as "Id" from "dbo"."Customer" as "t" where ("t"."Id" = @1)) order by "t"."CustomerId" asc, "t"."No" asc offset @2 rows fetch next @3 rows only
-- @1 Int 1
-- @2 BigInt 0
-- @3 BigInt 100
