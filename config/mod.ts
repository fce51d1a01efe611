/**
 * The configuration's interface to the rest of the program.
 *
 * @module
 */

export {
  type Complaint,
  type Configuration,
  ConfigurationError,
  type Directories,
  type Environment,
  firstOf,
  formatComplaint,
  type Place,
  type Substitution,
} from "./configuration.ts";
export {
  changeDefinition,
  DEFINITION_FILES,
  type DefinitionKind,
  type Members,
  UnusableFilesError,
} from "./definitions.ts";
export { haveSameConnection, haveSameTarget, readDatabase, secretsOf } from "./databases.ts";
export { complaintAboutTable } from "./declared_types.ts";
export { aliasesOf, memberSchemas, showMembers, shownNames } from "./definition_members.ts";
export { ID_SCHEMA } from "./entries.ts";
export { inspectConfiguration, loadConfiguration, reloadConfiguration, unknownDatabase } from "./load.ts";
export { Orders } from "./orders.ts";
export { readQuery } from "./queries.ts";
export {
  changePassword,
  checkPasswordStrength,
  completeFirstRun,
  endFirstRun,
  hashCost,
  hashPlainSecrets,
  isFirstRun,
  passwordAdvice,
  replacePassword,
} from "./set_password.ts";
export { type CachePlace, cachePlacesOf, sessionCacheOf, sharedCacheOf } from "./shared_caches.ts";
export { FORMAT, type Settings } from "./settings.ts";
export {
  isTaken,
  type ListedSetting,
  listSettings,
  readOptions,
  readSection,
  strayKeys,
  streamByDefault,
  takenName,
  writtenKeys,
} from "./plugin_settings.ts";
export { WatchedFiles } from "./watched_files.ts";
export { FileFailure, writeFileAtomically } from "./store.ts";
export { HASHED_KEY, hashedKey, keyWeakness } from "./users.ts";
