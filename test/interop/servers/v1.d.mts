import type { Server } from '@modelcontextprotocol/sdk/server/index.js'

export declare function createV1Server(note: (line: string) => void): Server
