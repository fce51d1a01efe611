set identity_insert "dbo"."Customer" on; declare @keys table (n int primary key, k0 int); insert into "dbo"."Customer" ("Id", "Name") values (@1, @2); insert into @keys values (0, scope_identity()); select k0 as "Id" from @keys order by n; set identity_insert "dbo"."Customer" off
-- @1 BigInt 7
-- @2 NVarChar(4000) Max
