set identity_insert "dbo"."Customer" on; declare @keys table (n int primary key, k0 int); insert into "dbo"."Customer" ("Id", "Name") values (@rowhouse_1, @rowhouse_2); insert into @keys values (0, scope_identity()); select k0 as "Id" from @keys as made order by made.n; set identity_insert "dbo"."Customer" off
-- @rowhouse_1 BigInt 7
-- @rowhouse_2 NVarChar(4000) Max
