select "t"."Id" as "Id", "t"."Name" as "Name", "t"."City" as "City" from "dbo"."Customer" as "t" where ("t"."Id" in (@rowhouse_1, @rowhouse_2) or "t"."Id" is null) order by "t"."Id" asc offset @rowhouse_3 rows fetch next @rowhouse_4 rows only
-- @rowhouse_1 Int 1
-- @rowhouse_2 Int 2
-- @rowhouse_3 BigInt 0
-- @rowhouse_4 BigInt 100
