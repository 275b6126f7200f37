import type { ConfigFile, Fault, RouteAnswer } from '../../../../src/client.ts'
import { plural } from '../../parts/amounts.tsx'
import { List } from '../../parts/list.tsx'
import { ListHead } from '../../parts/list-head.tsx'
import { addresses } from '../../state/addresses.ts'
import { ErrorLine } from '../../parts/messages.tsx'
import { usePageTitle } from '../../state/page-title.ts'

type Config = RouteAnswer<'GET /api/config'>

type Row =
  | { readonly kind: 'view'; readonly id: string; readonly title: string; readonly count?: number }
  | { readonly kind: 'heading'; readonly id: string; readonly title: string }
  | { readonly kind: 'file'; readonly id: string; readonly file: ConfigFile; readonly client: string }

interface ConfigListProps {
  readonly config: Config | undefined
  readonly error: Fault | undefined
  readonly opened: string | undefined
}

/** The views of the configuration, then its files with what was found in them. */
export function ConfigList({ config, error, opened }: ConfigListProps) {
  usePageTitle('Config')
  const missing = config?.files.filter(({ isFound }) => !isFound).length ?? 0
  return (
    <>
      <ListHead title="Config" hasDetail={opened !== undefined} />
      <ErrorLine error={error} />
      <List<Row>
        label="Configuration"
        items={rowsOf(config)}
        keyOf={({ id }) => id}
        to={({ id }) => addresses.configFile(id)}
        isHeading={({ kind }) => kind === 'heading'}
        current={opened ?? 'problems'}
      >
        {(row) => <RowText row={row} />}
      </List>
      {missing > 0 && (
        <p class="config-missing dim small">{plural(missing, 'more place')} looked at, without a file.</p>
      )}
    </>
  )
}

function rowsOf(config: Config | undefined): readonly Row[] {
  const files = config?.files.filter(({ isFound }) => isFound) ?? []
  const clients = new Map(config?.sources.map(({ id, title }) => [id, title]))
  const used = config?.sources.filter(({ use }) => use !== 'off').length
  return [
    view('problems', 'Problems', config?.problems.length),
    view('sources', 'Sources', used),
    view('settings', 'Settings', config?.settings.values.filter(({ value }) => value !== null).length),
    view('models', 'Models'),
    view('page', 'This page'),
    ...(files.length > 0 ? [{ kind: 'heading', id: 'files', title: 'Files' } as const] : []),
    ...files.map(
      (file) =>
        ({ kind: 'file', id: file.file, file, client: clients.get(file.source) ?? file.source }) as const,
    ),
  ]
}

function view(id: string, title: string, count?: number): Row {
  return { kind: 'view', id, title, ...(count !== undefined && { count }) }
}

function RowText({ row }: { readonly row: Row }) {
  if (row.kind === 'heading') return <>{row.title}</>
  if (row.kind === 'file') return <FileText {...row} />
  return (
    <>
      <span class="grow">{row.title}</span>
      {row.count !== undefined && <span class="dim number">{row.count}</span>}
    </>
  )
}

function FileText({ file, client }: { readonly file: ConfigFile; readonly client: string }) {
  const { shown, scope, isInUse, servers, errors, warnings } = file
  return (
    <span class="config-file">
      <span class="mono">{shown}</span>
      <span class="small dim">
        {client}, {scope}
        {isInUse ? '' : ', not in use'}
        {servers > 0 && ` · ${plural(servers, 'server')}`}
        {errors > 0 && <span class="tone-bad"> · {plural(errors, 'error')}</span>}
        {warnings > 0 && <span class="tone-warn"> · {plural(warnings, 'warning')}</span>}
      </span>
    </span>
  )
}
