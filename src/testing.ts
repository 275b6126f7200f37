export { faultyServer, faultyServerFile } from './testing/faulty-server.ts'
export type { Action, FaultyScript, FaultyTools, Step } from './testing/faulty-server.ts'
export { hostileServerFile } from './testing/hostile-server.ts'
export { shiftyServerFile } from './testing/shifty-server.ts'
export { thiefServerFile } from './testing/thief-server.ts'
export { startFaultyHttp } from './testing/faulty-http.ts'
export type { FaultyHttp, FaultyHttpOptions } from './testing/faulty-http.ts'
export { createDispatchHost } from './testing/dispatch-host.ts'
export type {
  DispatchHostOptions,
  DispatchTurn,
  LogEntry,
  TestDispatchHost,
} from './testing/dispatch-host.ts'
export { createMemoryChannel } from './testing/memory-channel.ts'
export type { MemoryChannel, MemoryListener, MemoryServer } from './testing/memory-channel.ts'
export { createScriptedServer } from './testing/scripted-server.ts'
export type { Handler, ScriptedServer, ScriptedServerOptions } from './testing/scripted-server.ts'
export { recordCassette } from './testing/cassette.ts'
export { replayCassette } from './testing/replay.ts'
export { createFakeClock } from './testing/fake-clock.ts'
export type { FakeClock } from './testing/fake-clock.ts'
export { createFakePlatform } from './testing/fake-platform.ts'
export type { FakePlatform, FakePlatformOptions } from './testing/fake-platform.ts'
export { memoryFiles } from './testing/memory-files.ts'
export type { Channel, DropReason, OpenChannel, Receiver, SendOptions } from './wire/channel.ts'
export type { Notification, OutgoingMessage, Request, RequestId, Response } from './wire/message.ts'
export { RpcError, WireError } from './wire/wire-error.ts'
export type { WireFacts } from './wire/wire-error.ts'
