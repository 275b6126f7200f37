/**
 * Sent by gateways to servers over HTTP: random ids of the gateways that a request may have passed, so that one that is
 * behind itself is noticed.
 */
export const gatewaysHeader = 'plugboard-gateways'
