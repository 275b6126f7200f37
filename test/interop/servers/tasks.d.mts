import type { Server } from '@modelcontextprotocol/server'

export declare function createTaskServer(note: (line: string) => void, tasks: Map<string, object>): Server
