/** Starts an agent against a server that answers nothing, and stops it at its first request. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { Secret } from '../../src/base/secret.ts';
import { renderKubeconfig } from '../../src/kube/client/login/render-kubeconfig.ts';
import { createAgents } from '../../test/tart-kubelet/agent-process.ts';
import { createCertificates } from '../api-server/certificates.ts';
import { installLightTart } from './light-tart.ts';

export interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
}

export const startOnce = async (folder: string, program: string): Promise<Start> => {
  mkdirSync(folder);
  const { caPem, certificatePem, keyPem } = createCertificates();
  const server = createServer({ cert: certificatePem, key: keyPem });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const kubeconfig = join(folder, 'kubeconfig');
  const client = { token: new Secret('abcdef.0123456789abcdef') };
  const login = { server: `https://127.0.0.1:${port}`, authority: caPem, name: 'mac', client };
  writeFileSync(kubeconfig, renderKubeconfig(login));
  const agents = createAgents({ folder, nodeName: 'mac-1', kubeconfig, labels: 'tuist.dev/fleet=ci', program });
  installLightTart(agents.tart);
  const startedMs = performance.now();
  const { child } = agents.start();
  await once(server, 'request');
  const wallMs = performance.now() - startedMs;
  const cpuMs = cpuMsOf(Number(child.pid));
  child.kill('SIGKILL');
  await once(child, 'exit');
  server.close();
  server.closeAllConnections();
  return { wallMs, cpuMs };
};

/** From its start to its end, having done nothing. */
export const startNode = async (): Promise<Start> => {
  const startedMs = performance.now();
  await once(spawn(process.execPath, ['--eval', ''], { stdio: 'ignore' }), 'exit');
  return { wallMs: performance.now() - startedMs, cpuMs: 0 };
};

/** User and system time, which the kernel counts in hundredths of a second. */
export const cpuMsOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
