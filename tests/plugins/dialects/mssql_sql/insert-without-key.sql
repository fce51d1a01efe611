insert into "dbo"."Kinds" ("A", "F") values (@1, cast(@2 as datetimeoffset(7)))
-- @1 BigInt 9223372036854775807
-- @2 VarChar(8000) 2009-01-02T03:04:05+02:00
