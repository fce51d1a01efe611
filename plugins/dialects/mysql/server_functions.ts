/**
 * Functions of the servers that leave nothing behind in a session, by their names.
 *
 * Both servers have all of them: where one lacked a function, people could write another one under its name. For the same
 * reason the words that may stand before a parenthesis are all reserved.
 *
 * @module
 */

/** Those that are called with nothing between their name and the parenthesis. */
export const FUNCTIONS: ReadonlySet<string> = words(`
  abs acos adddate addtime ascii asin atan atan2 avg bin bit_and bit_count bit_length bit_or bit_xor cast ceil ceiling
  char_length character_length charset coalesce coercibility collation concat concat_ws connection_id conv convert_tz cos cot count crc32
  cume_dist curdate current_date current_time current_timestamp curtime database date date_add date_format date_sub datediff day
  dayname dayofmonth dayofweek dayofyear degrees dense_rank elt exp export_set extract field find_in_set first_value floor
  format from_base64 from_days from_unixtime get_format greatest group_concat hex hour ifnull inet6_aton inet6_ntoa inet_aton
  inet_ntoa instr isnull json_array json_array_append json_array_insert json_arrayagg json_contains json_contains_path
  json_depth json_extract json_insert json_keys json_length json_merge_patch json_merge_preserve json_object json_objectagg
  json_quote json_remove json_replace json_search json_set json_type json_unquote json_valid lag last_day
  last_value lcase lead least length ln locate log log10 log2 lower lpad ltrim make_set makedate maketime max microsecond
  mid min minute month monthname now nth_value ntile nullif oct octet_length ord percent_rank period_add period_diff pi
  position pow power quarter quote radians rank regexp_instr regexp_replace regexp_substr reverse round row_number rpad rtrim schema
  sec_to_time second sha2 sign sin soundex space sqrt std stddev stddev_pop stddev_samp str_to_date strcmp subdate
  substr substring substring_index subtime sum sysdate tan time time_format time_to_sec timediff timestamp timestampadd
  timestampdiff to_base64 to_days to_seconds trim ucase unhex unix_timestamp upper utc_date utc_time utc_timestamp var_pop
  var_samp variance week weekday weekofyear year yearweek
  if left right insert repeat replace mod char convert interval`);

/** Words that may stand before a parenthesis and are never the name of a function. */
export const KEYWORDS: ReadonlySet<string> = words(`
  all and as between by case cross decimal distinct div else except exists from having if in inner interval is join
  like limit mod not on or order over partition regexp rlike select separator then union using varchar when where xor
  char binary varbinary float double`);

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
