import json from "@/formats/json/mod.ts";
import { testFormat } from "../conformance/format.ts";
import { assertFits } from "./json_schema_judge.ts";

const wellFormed = (text: string) => void JSON.parse(text);

testFormat("json", () => json, { wellFormed, validate: assertFits });
