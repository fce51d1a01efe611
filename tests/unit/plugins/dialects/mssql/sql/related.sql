select top(20001) "t"."CustomerId" as "CustomerId", "t"."No" as "No", convert(varchar(41), "t"."Total") as "Total", "t"."At" as "At", "t"."Version" as "Version" from "sales"."Order" as "t" where "t"."CustomerId" in (select "t"."Id" as "Id" from (select "t"."Id" as "Id", "t"."Name" as "Name", "t"."City" as "City" from "dbo"."Customer" as "t" order by "t"."Id" asc offset @rowhouse_1 rows fetch next @rowhouse_2 rows only) as "t") order by "t"."CustomerId" asc, "t"."No" asc
-- @rowhouse_1 BigInt 0
-- @rowhouse_2 BigInt 100
