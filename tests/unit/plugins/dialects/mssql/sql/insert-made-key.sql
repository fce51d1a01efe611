declare @keys table (n int primary key, k0 uniqueidentifier); insert into "sales"."Line" ("Order", "OrderNo") output 0, inserted."Guid" into @keys (n, k0) values (@rowhouse_1, @rowhouse_2); insert into "sales"."Line" ("Order", "OrderNo") output 1, inserted."Guid" into @keys (n, k0) values (@rowhouse_3, @rowhouse_4); select k0 as "Guid" from @keys as made order by made.n
-- @rowhouse_1 BigInt 1
-- @rowhouse_2 NVarChar(4000) A
-- @rowhouse_3 BigInt 2
-- @rowhouse_4 NVarChar(4000) B
