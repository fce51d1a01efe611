/**
 * Sessions that services have, as samlp finds them.
 *
 * @module
 */

import type { Participant } from "@/tests/support/packages/samlp.d.ts";

/** The sessions in the form that samlp wants. */
export function participantsOf(participants: Participant[]): unknown {
  const find = (issuer: string, index: string | readonly string[], nameId: string) =>
    participants.findIndex((each) =>
      each.serviceProviderId === issuer && [index].flat().includes(each.sessionIndex) &&
      each.nameId === nameId
    );
  type Done = (error: null, participant?: Participant) => void;
  return {
    get: (issuer: string, indices: readonly string[], nameId: string, done: Done) =>
      done(null, participants[find(issuer, indices, nameId)]),
    hasElements: () => participants.length > 0,
    getFirst: (done: Done) => done(null, participants[0]),
    remove(issuer: string, index: string, nameId: string, done: Done) {
      const place = find(issuer, index, nameId);
      const [removed] = place < 0 ? [] : participants.splice(place, 1);
      done(null, removed);
    },
  };
}
