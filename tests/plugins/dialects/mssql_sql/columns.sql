select "t"."Name" as "Name", "t"."City" as "City" from "dbo"."Customer" as "t" order by "t"."Id" asc offset @1 rows fetch next @2 rows only
-- @1 BigInt 0
-- @2 BigInt 100
