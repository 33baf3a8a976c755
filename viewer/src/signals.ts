// Everything of a run that can be plotted over time: energies and counters, positions, velocities, and what each contact does.
import { f32, f64, lastAtOrBefore, u32, type Run, type Scene } from "./data";

export interface Signal { group: string; name: string; unit: string; t: Float64Array; y: Float32Array | (number | null)[] }

const AXES: Record<string, string[]> = { free: ["x", "y", "z", "qw", "qx", "qy", "qz"], ball: ["qw", "qx", "qy", "qz"], slide: [""], hinge: [""] };
const SPEEDS: Record<string, string[]> = { free: ["vx", "vy", "vz", "ωx", "ωy", "ωz"], ball: ["ωx", "ωy", "ωz"], slide: [""], hinge: [""] };

function column(table: Float32Array, width: number, at: number): Float32Array {
  return Float32Array.from({ length: Math.floor(table.length / width) }, (_, k) => table[k * width + at]);
}

function coordinates(scene: Scene, run: Run, t: Float64Array): Signal[] {
  const out: Signal[] = [], qpos = f32(run.qpos), qvel = run.qvel ? f32(run.qvel) : null;
  for (const joint of scene.joints) {
    const name = joint.name || scene.bodies[joint.body].name || `joint of body ${joint.body}`, turns = joint.type === "hinge";
    AXES[joint.type].forEach((axis, k) => out.push({
      group: "positions", name: `${name} ${axis}`.trim(), unit: turns ? "rad" : joint.type === "slide" || (joint.type === "free" && k < 3) ? "m" : "", t, y: column(qpos, scene.nq, joint.q + k),
    }));
    if (qvel) SPEEDS[joint.type].forEach((axis, k) => out.push({
      group: "velocities", name: `${name} ${axis}`.trim(), unit: joint.type === "slide" || (joint.type === "free" && k < 3) ? "m/s" : "rad/s", t, y: column(qvel, scene.nv, joint.v + k),
    }));
  }
  return out;
}

/** Of every contact by its name; nothing where it is open. Points of one name in a frame: forces add up, the least gap and the largest slip count. */
function contacts(run: Run, t: Float64Array): Signal[] {
  const c = run.contacts, start = u32(c.start), name = u32(c.name), [normal, force, gap, slip] = [c.normal, c.force, c.gap, c.slip].map((text) => (text ? f32(text) : null));
  const empty = () => run.names.map(() => new Array<number | null>(t.length).fill(null));
  const [fn, ft, gaps, slips] = [empty(), empty(), empty(), empty()];
  for (let k = 0; k < t.length; k++)
    for (let i = start[k]; i < start[k + 1]; i++) {
      const id = name[i], along = normal![3 * i] * force![3 * i] + normal![3 * i + 1] * force![3 * i + 1] + normal![3 * i + 2] * force![3 * i + 2];
      const across = Math.hypot(...[0, 1, 2].map((x) => force![3 * i + x] - along * normal![3 * i + x]));
      fn[id][k] = (fn[id][k] ?? 0) + along;
      ft[id][k] = (ft[id][k] ?? 0) + across;
      if (gap) gaps[id][k] = Math.min(gaps[id][k] ?? Infinity, gap[i]);
      if (slip) slips[id][k] = Math.max(slips[id][k] ?? 0, slip[i]);
    }
  const list = (group: string, unit: string, values: (number | null)[][]) => run.names.map((word, id) => ({ group, name: word, unit, t, y: values[id] }));
  return [...list("normal forces", run.force_unit, fn), ...list("friction forces", run.force_unit, ft),
    ...(gap ? list("gaps", "m", gaps) : []), ...(slip ? list("slip speeds", "m/s", slips) : [])];
}

/** Of a line: one number where it stays the same; what is not known, a sensor's first reading, is a gap. */
function values(line: { y?: string; constant?: number }, count: number): Float32Array | (number | null)[] {
  if (line.y === undefined) return new Float32Array(count).fill(line.constant ?? 0);
  const y = f32(line.y);
  return y.some(Number.isNaN) ? Array.from(y, (v) => (Number.isNaN(v) ? null : v)) : y;
}

export function signalsOf(scene: Scene, run: Run): Signal[] {
  const t = f64(run.series.t), frames = f64(run.t);
  const told = run.series.groups.flatMap((group) => group.lines.map((line) => ({ group: group.title, name: line.name, unit: group.unit, t, y: values(line, t.length) })));
  return [...told, ...coordinates(scene, run, frames), ...contacts(run, frames)];
}

/** The value at or before t, as the frame that is shown has it. */
export function valueAt(signal: Signal, t: number): number | null {
  return signal.y[lastAtOrBefore(signal.t, t)] ?? null;
}

/** Between the neighbours in time. */
export function interpolated(signal: Signal, t: number): number | null {
  const { t: times, y } = signal, last = times.length - 1;
  if (last < 0 || t < times[0] || t > times[last]) return null;
  const low = Math.min(lastAtOrBefore(times, t), last), high = Math.min(low + 1, last);
  const a = y[low], b = y[high], span = times[high] - times[low];
  return a === null || b === null ? null : span > 0 ? a + ((b - a) * (t - times[low])) / span : b;
}
