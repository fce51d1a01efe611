insert into "dbo"."Kinds" ("A", "B") values (@rowhouse_1, cast(@rowhouse_2 as money)), (@rowhouse_3, cast(@rowhouse_4 as money))
-- @rowhouse_1 BigInt 1
-- @rowhouse_2 VarChar(8000) 1.5
-- @rowhouse_3 BigInt 2
-- @rowhouse_4 VarChar(8000) null
