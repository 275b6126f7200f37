import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { openWith } from './sdk-client.mjs'

export const open = async (servers) =>
  openWith({ Client, StdioClientTransport, StreamableHTTPClientTransport }, servers)
