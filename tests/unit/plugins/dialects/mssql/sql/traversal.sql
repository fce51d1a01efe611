select "t"."CustomerId" as "CustomerId", "t"."No" as "No", convert(varchar(41), "t"."Total") as "Total", "t"."At" as "At", "t"."Version" as "Version" from "sales"."Order" as "t" where "t"."CustomerId" in (select "t"."Id" as "Id" from "dbo"."Customer" as "t" where ("t"."Id" = @rowhouse_1)) order by "t"."CustomerId" asc, "t"."No" asc offset @rowhouse_2 rows fetch next @rowhouse_3 rows only
-- @rowhouse_1 Int 1
-- @rowhouse_2 BigInt 0
-- @rowhouse_3 BigInt 100
