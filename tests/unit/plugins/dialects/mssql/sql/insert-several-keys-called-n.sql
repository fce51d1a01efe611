declare @keys table (n int primary key, k0 int); insert into "dbo"."Numbered" ("n") output 0, inserted."n" into @keys (n, k0) values (@rowhouse_1); insert into "dbo"."Numbered" ("n") output 1, inserted."n" into @keys (n, k0) values (@rowhouse_2); select k0 as "n" from @keys as made order by made.n
-- @rowhouse_1 BigInt 2
-- @rowhouse_2 BigInt 1
