select "t"."Id" as "Id", "t"."Name" as "Name", "t"."City" as "City" from "dbo"."Customer" as "t" where ("t"."Id" in (@1, @2) or "t"."Id" is null) order by "t"."Id" asc offset @3 rows fetch next @4 rows only
-- @1 Int 1
-- @2 Int 2
-- @3 BigInt 0
-- @4 BigInt 100
