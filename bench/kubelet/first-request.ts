/** Starts an agent against a server that answers nothing, and stops it at its first request. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { Secret } from '../../src/base/secret.ts';
import { renderKubeconfig } from '../../src/kube/client/login/render-kubeconfig.ts';
import { renderKeptIdentity } from '../../src/kube/node/kept-identity.ts';
import { nodeUserOf } from '../../src/kube/node/node-certificate.ts';
import { createAgents } from '../../test/tart-kubelet/agent-process.ts';
import { createCertificates, type ServerCertificates } from '../api-server/certificates.ts';
import { until } from '../control-plane/until.ts';
import { installLightTart } from './light-tart.ts';

export interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
}

export interface Starts {
  /** On a Mac that has never run it: it wants to join. */
  first(name: string): Promise<Start>;
  /** On one where it has run before: it has an identity, and goes on as that Node. */
  again(name: string): Promise<Start>;
  /** Lets it run until it has kept its code at this path. */
  warm(code: string): Promise<void>;
  /** A Node.js that does nothing else than to ask the same server. */
  bare(): Promise<Start>;
  stop(): void;
}

interface Stage {
  readonly command: string;
  readonly folder: string;
  readonly server: Server;
  readonly certificates: ServerCertificates;
  readonly port: number;
}

const NODE = 'mac-1';

/** `command` starts the agent. */
export const openStarts = async (command: string, folder: string): Promise<Starts> => {
  const certificates = createCertificates();
  const { caPem, certificatePem, keyPem } = certificates;
  // As an API server does: whoever has a certificate shows it.
  const asking = { ca: caPem, requestCert: true, rejectUnauthorized: false };
  const server = createServer({ cert: certificatePem, key: keyPem, ...asking });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const stage: Stage = { command, folder, server, certificates, port };
  const measure = (start: () => ChildProcess): Promise<Start> => measureStart(server, start);
  return {
    first: (name) => measure(() => prepareAgent(stage, name)()),
    again: (name) => {
      const start = prepareAgent(stage, name);
      const own = certificates.issueClient(nodeUserOf(NODE));
      const current = { certificatePem: own.certificatePem, keyPem: new Secret(own.keyPem) };
      const identity = renderKeptIdentity({ current, nextKeyPem: undefined });
      writeFileSync(join(folder, name, 'identity.json'), identity.reveal());
      return measure(start);
    },
    warm: async (code) => {
      const child = prepareAgent(stage, 'warm')();
      await until('its code to be kept', async () => existsSync(code));
      await kill(child);
    },
    bare: () => measure(() => startBare(stage)),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** A Mac of its own. */
const prepareAgent = ({ command, folder, certificates, port }: Stage, name: string): (() => ChildProcess) => {
  const home = join(folder, name);
  mkdirSync(home);
  const kubeconfig = join(home, 'kubeconfig');
  const client = { token: new Secret('abcdef.0123456789abcdef') };
  const login = { server: `https://127.0.0.1:${port}`, authority: certificates.caPem, name: 'mac', client };
  writeFileSync(kubeconfig, renderKubeconfig(login));
  const labels = 'tuist.dev/fleet=ci';
  const agents = createAgents({ folder: home, nodeName: NODE, kubeconfig, labels, command: [command] });
  installLightTart(agents.tart);
  return () => agents.start().child;
};

const startBare = ({ folder, certificates, port }: Stage): ChildProcess => {
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, certificates.caPem);
  const get = `https.get({ port: ${port}, host: '127.0.0.1', ca: fs.readFileSync('${ca}') })`;
  return spawn(process.execPath, ['--eval', get], { stdio: 'ignore' });
};

const measureStart = async (server: Server, start: () => ChildProcess): Promise<Start> => {
  const startedMs = performance.now();
  const child = start();
  const ended = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`it ended with ${code} before it asked`)),
  );
  await Promise.race([once(server, 'request'), ended]);
  const wallMs = performance.now() - startedMs;
  const cpuMs = cpuMsOf(Number(child.pid));
  await kill(child);
  return { wallMs, cpuMs };
};

const kill = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL');
  await once(child, 'exit');
};

/** User and system time, which the kernel counts in hundredths of a second. */
export const cpuMsOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
