delete from "dbo"."Kinds"
