/**
 * The account of a person or a program, as authentication methods see it.
 *
 * @module
 */

/**
 * An account of users.cfg without its secrets and rights. The same object as long as the
 * account is unchanged; another one after a new password or key, so that a method can tell
 * whether what it remembers is still true.
 */
export interface User {
  /** Its name in this service. */
  readonly login: string;
  /** The name of the person; may be empty. */
  readonly name: string;
  /** May be empty. */
  readonly email: string;
  /** The application id that its API key needs. Absent: the key is enough. */
  readonly appid?: string;
}
