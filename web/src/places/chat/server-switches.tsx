import type { ConversationServers, Fault, SwitchRow } from '../../../../src/client.ts'
import { countText, plural } from '../../parts/amounts.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { Switch } from '../../parts/switch.tsx'
import { addresses } from '../../state/addresses.ts'
import { servers as liveServers } from '../../state/page-state.ts'

interface SwitchesProps {
  readonly servers: ConversationServers | undefined
  readonly problems: ReadonlyMap<string, Fault>
  readonly onSwitch: (server: string, isOn: boolean) => void
}

/** The servers of a conversation, each with a switch and with what it costs in every request. */
export function ServerSwitches({ servers, problems, onSwitch }: SwitchesProps) {
  if (!servers) return <p class="loading">Loading servers…</p>
  const { tokens, window, mode } = servers
  return (
    <section class="chat-switches" aria-label="Servers of this conversation">
      <h2>
        Servers here <span class="dim number">{costText(servers)}</span>
      </h2>
      {window > 0 && (
        <meter
          class="chat-window"
          min={0}
          max={window}
          high={window * 0.3}
          optimum={0}
          value={Math.min(tokens, window)}
          aria-label="Tokens of the tools within the window of the model"
        />
      )}
      {servers.servers.length === 0 && <p class="dim">No servers yet.</p>}
      <ul>
        {servers.servers.map((row) => (
          <SwitchLine key={row.server} row={row} problem={problems.get(row.server)} onSwitch={onSwitch} />
        ))}
      </ul>
      {mode === 'search' && (
        <p class="small dim">There are many tools: the model searches for those it needs.</p>
      )}
      <p class="small dim">A change counts from the next step.</p>
    </section>
  )
}

function SwitchLine({
  row,
  problem,
  onSwitch,
}: {
  readonly row: SwitchRow
  readonly problem: Fault | undefined
  readonly onSwitch: SwitchesProps['onSwitch']
}) {
  const { server, isOn, tokens } = row
  const live = liveServers.value.find(({ name }) => name === server)
  const state = live?.state ?? row.state
  const { tone, sentence } = state
  return (
    <li class="chat-switch">
      <Switch
        label={server}
        isOn={isOn}
        command={`plugboard switch ${server} ${isOn ? 'off' : 'on'}`}
        onChange={(next) => onSwitch(server, next)}
      />
      <span class={isOn ? 'strong' : ''}>{server}</span>
      <span class="dim number">{tokens === 0 ? '—' : `${isOn ? '' : '+'}${countText(tokens)}`}</span>
      <small>
        {toolsText(row)}
        <a href={addresses.server(server)} title={sentence}>
          <StateMark state={state} />
        </a>
        {tone === 'bad' && sentence !== undefined && <span class="sentence">{sentence}</span>}
      </small>
      <ErrorLine error={problem} />
    </li>
  )
}

/** A server that was never started has tools that are not known yet. */
function toolsText({ tools, hidden }: SwitchRow): string {
  if (tools + hidden === 0) return ''
  return `${hidden > 0 ? `${tools} of ${tools + hidden} tools` : plural(tools, 'tool')} · `
}

/** `6.3k of 32k tokens`. */
function costText({ tokens, window }: ConversationServers): string {
  return window > 0 ? `${countText(tokens)} of ${countText(window)} tokens` : `${countText(tokens)} tokens`
}

/** `3 servers · 6.3k`: the label of the button that opens the switches where there is no room for them. */
export function switchesLabel(servers: ConversationServers | undefined): string {
  if (!servers) return 'Servers'
  const on = servers.servers.filter(({ isOn }) => isOn).length
  return `${plural(on, 'server')} · ${countText(servers.tokens)}`
}
