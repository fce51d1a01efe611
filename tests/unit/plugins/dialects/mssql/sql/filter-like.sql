select "t"."Id" as "Id", "t"."Name" as "Name", "t"."City" as "City" from "dbo"."Customer" as "t" where ("t"."Name" like @rowhouse_1 escape '!') order by "t"."Id" asc offset @rowhouse_2 rows fetch next @rowhouse_3 rows only
-- @rowhouse_1 VarChar(8000) ![%!%%
-- @rowhouse_2 BigInt 0
-- @rowhouse_3 BigInt 100
