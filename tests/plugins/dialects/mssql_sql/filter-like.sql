select "t"."Id" as "Id", "t"."Name" as "Name", "t"."City" as "City" from "dbo"."Customer" as "t" where ("t"."Name" like @1 escape '!') order by "t"."Id" asc offset @2 rows fetch next @3 rows only
-- @1 NVarChar(4000) ![%!%%
-- @2 BigInt 0
-- @3 BigInt 100
