insert into "dbo"."Kinds" ("A", "B") values (@1, cast(@2 as money)), (@3, cast(@4 as money))
-- @1 BigInt 1
-- @2 VarChar(8000) 1.5
-- @3 BigInt 2
-- @4 VarChar(8000) null
