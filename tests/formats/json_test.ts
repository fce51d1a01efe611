import json from "@/formats/json/mod.ts";
import { testFormat } from "../conformance/format.ts";

testFormat("json", () => json, { wellFormed: (text) => void JSON.parse(text) });
