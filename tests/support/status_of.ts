/**
 * The status of an answer whose body no test reads.
 *
 * @module
 */

/** The status; the rest of the answer is given up, so that its connection is free. */
export async function statusOf(answer: Response | PromiseLike<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}
