import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { openWith } from './sdk-client.mjs'

export const open = async (servers) =>
  openWith({ Client, StdioClientTransport, StreamableHTTPClientTransport }, servers)
