// The server side of MCP, for the gateway. Not an entry of package.json.
export { parseMessage, decodeMessage } from './wire/frames/decode.ts'
export { createFrameReader } from './wire/frames/frames.ts'
export { legacyVersions, modernVersion } from './wire/message.ts'
export type { OutgoingMessage, RequestId } from './wire/message.ts'
export { ClientRequests } from './wire/serving/client-requests.ts'
export { readIncoming } from './wire/serving/incoming-message.ts'
export type { IncomingMessage } from './wire/serving/incoming-message.ts'
export {
  logLevelKey,
  readModernClient,
  serverInfoKey,
  subscriptionIdKey,
  versionOf,
  withoutReserved,
  withoutReservedMeta,
} from './wire/serving/modern-client.ts'
export { argumentsOf, checkHeaders, checkParamHeaders } from './wire/serving/request-headers.ts'
export type { ReceivedHeaders } from './wire/serving/request-headers.ts'
export {
  headerMismatch,
  httpStatusOf,
  invalidParams,
  methodNotFound,
  missingCapability,
  rpcCodes,
  unsupportedVersion,
} from './wire/serving/served-errors.ts'
export { RpcError } from './wire/wire-error.ts'
export { definitionOf } from './catalog/offered-tool.ts'
