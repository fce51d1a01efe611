select top(20001) "t"."CustomerId" as "CustomerId", "t"."No" as "No", convert(varchar(41), "t"."Total") as "Total", "t"."At" as "At", "t"."Version" as "Version" from "sales"."Order" as "t" where "t"."CustomerId" in (select "t"."Id" as "Id" from (select "t"."Id" as "Id", "t"."Name" as "Name", "t"."City" as "City" from "dbo"."Customer" as "t" order by "t"."Id" asc offset @1 rows fetch next @2 rows only) as "t") order by "t"."CustomerId" asc, "t"."No" asc
-- @1 BigInt 0
-- @2 BigInt 100
