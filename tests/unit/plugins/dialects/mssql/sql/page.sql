select "t"."Id" as "Id", "t"."Name" as "Name", "t"."City" as "City" from "dbo"."Customer" as "t" order by "t"."Id" asc offset @rowhouse_1 rows fetch next @rowhouse_2 rows only
-- @rowhouse_1 BigInt 0
-- @rowhouse_2 BigInt 100
