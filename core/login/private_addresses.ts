/**
 * Which addresses belong to private networks, to this machine, to special purposes, or to nobody: a server on the internet must not be able to
 * make the service ask them. Pure.
 *
 * @module
 */

import { BlockList, isIP } from "node:net";

const IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** Those that hold an IPv4 address count as private whatever it is: nobody names a server by them. */
const IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

// A list of both would compare an IPv4 address with networks of IPv6 as well.
const PRIVATE_IPV4 = new BlockList();
const PRIVATE_IPV6 = new BlockList();
for (const [network, prefix] of IPV4) PRIVATE_IPV4.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of IPV6) PRIVATE_IPV6.addSubnet(network, prefix, "ipv6");

/** Whether an IP address is private; what is no address counts as private. */
export function isPrivateAddress(written: string): boolean {
  // A list does not know zones, such as %eth0.
  const address = written.replace(/%.*$/s, "");
  const version = isIP(address);
  if (version === 0) return true;
  return version === 4 ? PRIVATE_IPV4.check(address, "ipv4") : PRIVATE_IPV6.check(address, "ipv6");
}
