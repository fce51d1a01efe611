insert into "dbo"."Kinds" ("A", "F") values (@rowhouse_1, cast(@rowhouse_2 as datetimeoffset(7)))
-- @rowhouse_1 BigInt 9223372036854775807
-- @rowhouse_2 VarChar(8000) 2009-01-02T03:04:05+02:00
