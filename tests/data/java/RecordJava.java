// Records sequential runs of the classes that the models java:… imitate, as violat documents: what the real classes return
// is what the models must allow, and nothing else. Only needed to record again:
//
//   java RecordJava.java 4 | gzip -9n > sequential.jsonl.gz        (4 runs of each class and kind of elements)
import java.util.*;
import java.util.concurrent.*;

public class RecordJava {
  static final Random random = new Random(8);
  static int elements;  // which kind: 0 few integers, 1 many integers, 2 strings

  static Object element() {
    if (random.nextInt(40) == 0) return null;
    switch (elements) {
      case 0:
        return random.nextInt(4);
      case 1:
        return random.nextInt(3) == 0 ? random.nextInt() : 16 * random.nextInt(5) - random.nextInt(40);
      default:
        return random.nextInt(60) == 0 ? (Object) random.nextInt(3) : "abcdefgxyzé".charAt(random.nextInt(11)) + "k".repeat(random.nextInt(3));
    }
  }
  static List<Object> list() {
    List<Object> all = new ArrayList<>();
    for (int n = random.nextInt(4); n > 0; --n) all.add(element());
    return all;
  }

  interface Method { Object run(Object[] args) throws Exception; }
  // Name, what it takes (e: an element, l: a list, m: a map, n: a number), and what it does.
  record Entry(String name, String takes, Method method) {}

  static List<Entry> methods(Object object) {
    List<Entry> all = new ArrayList<>();
    if (object instanceof Collection<?>) collection(all, (Collection<Object>) object);
    if (object instanceof Queue<?>) queue(all, (Queue<Object>) object);
    if (object instanceof BlockingQueue<?>) blocking(all, (BlockingQueue<Object>) object);
    if (object instanceof Deque<?>) deque(all, (Deque<Object>) object);
    if (object instanceof LinkedTransferQueue<?>) transfer(all, (LinkedTransferQueue<Object>) object);
    if (object instanceof NavigableSet<?>) sorted(all, (NavigableSet<Object>) object);
    if (object instanceof ConcurrentMap<?, ?>) map(all, (ConcurrentMap<Object, Object>) object);
    if (object instanceof ConcurrentHashMap<?, ?>) hash(all, (ConcurrentHashMap<Object, Object>) object);
    if (object instanceof NavigableMap<?, ?>) sortedMap(all, (NavigableMap<Object, Object>) object);
    return all;
  }

  static void collection(List<Entry> all, Collection<Object> c) {
    all.add(new Entry("size", "", a -> c.size()));
    all.add(new Entry("isEmpty", "", a -> c.isEmpty()));
    if (random.nextInt(4) == 0) all.add(new Entry("clear", "", a -> { c.clear(); return null; }));
    all.add(new Entry("toString", "", a -> c.toString()));
    all.add(new Entry("toArray", "", a -> Arrays.toString(c.toArray())));
    all.add(new Entry("add", "e", a -> c.add(a[0])));
    all.add(new Entry("remove", "e", a -> c.remove(a[0])));
    all.add(new Entry("contains", "e", a -> c.contains(a[0])));
    all.add(new Entry("addAll", "l", a -> c.addAll((List<Object>) a[0])));
    all.add(new Entry("containsAll", "l", a -> c.containsAll((List<Object>) a[0])));
    all.add(new Entry("removeAll", "l", a -> c.removeAll((List<Object>) a[0])));
    all.add(new Entry("retainAll", "l", a -> c.retainAll((List<Object>) a[0])));
  }
  static void queue(List<Entry> all, Queue<Object> q) {
    all.add(new Entry("offer", "e", a -> q.offer(a[0])));
    all.add(new Entry("removeHead", "", a -> q.remove()));
    all.add(new Entry("poll", "", a -> q.poll()));
    all.add(new Entry("element", "", a -> q.element()));
    all.add(new Entry("peek", "", a -> q.peek()));
  }
  static void blocking(List<Entry> all, BlockingQueue<Object> q) {
    if (q.remainingCapacity() > 0) all.add(new Entry("put", "e", a -> { q.put(a[0]); return null; }));
    if (!q.isEmpty()) all.add(new Entry("take", "", a -> q.take()));
    all.add(new Entry("remainingCapacity", "", a -> q.remainingCapacity()));
    all.add(new Entry("drainTo", "dn", a -> q.drainTo(new ArrayList<>(), (Integer) a[1])));
    if (random.nextInt(4) == 0) all.add(new Entry("drainTo", "d", a -> q.drainTo(new ArrayList<>())));
  }
  static void deque(List<Entry> all, Deque<Object> q) {
    all.add(new Entry("addFirst", "e", a -> { q.addFirst(a[0]); return null; }));
    all.add(new Entry("addLast", "e", a -> { q.addLast(a[0]); return null; }));
    all.add(new Entry("offerFirst", "e", a -> q.offerFirst(a[0])));
    all.add(new Entry("offerLast", "e", a -> q.offerLast(a[0])));
    all.add(new Entry("removeFirst", "", a -> q.removeFirst()));
    all.add(new Entry("removeLast", "", a -> q.removeLast()));
    all.add(new Entry("pollFirst", "", a -> q.pollFirst()));
    all.add(new Entry("pollLast", "", a -> q.pollLast()));
    all.add(new Entry("getFirst", "", a -> q.getFirst()));
    all.add(new Entry("getLast", "", a -> q.getLast()));
    all.add(new Entry("peekFirst", "", a -> q.peekFirst()));
    all.add(new Entry("peekLast", "", a -> q.peekLast()));
    all.add(new Entry("push", "e", a -> { q.push(a[0]); return null; }));
    all.add(new Entry("pop", "", a -> q.pop()));
    all.add(new Entry("removeFirstOccurrence", "e", a -> q.removeFirstOccurrence(a[0])));
    all.add(new Entry("removeLastOccurrence", "e", a -> q.removeLastOccurrence(a[0])));
    if (!(q instanceof BlockingDeque<?>)) return;
    BlockingDeque<Object> b = (BlockingDeque<Object>) q;
    if (b.remainingCapacity() > 0) all.add(new Entry("putFirst", "e", a -> { b.putFirst(a[0]); return null; }));
    if (b.remainingCapacity() > 0) all.add(new Entry("putLast", "e", a -> { b.putLast(a[0]); return null; }));
    if (!b.isEmpty()) all.add(new Entry("takeFirst", "", a -> b.takeFirst()));
    if (!b.isEmpty()) all.add(new Entry("takeLast", "", a -> b.takeLast()));
  }
  static void transfer(List<Entry> all, LinkedTransferQueue<Object> q) {
    all.add(new Entry("tryTransfer", "e", a -> q.tryTransfer(a[0])));
    all.add(new Entry("hasWaitingConsumer", "", a -> q.hasWaitingConsumer()));
    all.add(new Entry("getWaitingConsumerCount", "", a -> q.getWaitingConsumerCount()));
  }
  static void sorted(List<Entry> all, NavigableSet<Object> s) {
    all.add(new Entry("first", "", a -> s.first()));
    all.add(new Entry("last", "", a -> s.last()));
    all.add(new Entry("pollFirst", "", a -> s.pollFirst()));
    all.add(new Entry("pollLast", "", a -> s.pollLast()));
    all.add(new Entry("ceiling", "e", a -> s.ceiling(a[0])));
    all.add(new Entry("floor", "e", a -> s.floor(a[0])));
    all.add(new Entry("higher", "e", a -> s.higher(a[0])));
    all.add(new Entry("lower", "e", a -> s.lower(a[0])));
  }
  static void map(List<Entry> all, ConcurrentMap<Object, Object> m) {
    all.add(new Entry("size", "", a -> m.size()));
    all.add(new Entry("isEmpty", "", a -> m.isEmpty()));
    if (random.nextInt(4) == 0) all.add(new Entry("clear", "", a -> { m.clear(); return null; }));
    all.add(new Entry("toString", "", a -> m.toString()));
    all.add(new Entry("get", "e", a -> m.get(a[0])));
    all.add(new Entry("getOrDefault", "ee", a -> m.getOrDefault(a[0], a[1])));
    for (int i = 0; i < 3; ++i) all.add(new Entry("put", "ee", a -> m.put(a[0], a[1])));
    all.add(new Entry("putIfAbsent", "ee", a -> m.putIfAbsent(a[0], a[1])));
    all.add(new Entry("putAll", "m", a -> { m.putAll((Map<Object, Object>) a[0]); return null; }));
    all.add(new Entry("containsKey", "e", a -> m.containsKey(a[0])));
    all.add(new Entry("containsValue", "e", a -> m.containsValue(a[0])));
    all.add(new Entry("removeKey", "e", a -> m.remove(a[0])));
    all.add(new Entry("removeEntry", "ee", a -> m.remove(a[0], a[1])));
    all.add(new Entry("replace", "ee", a -> m.replace(a[0], a[1])));
    all.add(new Entry("replaceIf", "eee", a -> m.replace(a[0], a[1], a[2])));
  }
  static void hash(List<Entry> all, ConcurrentHashMap<Object, Object> m) {
    all.add(new Entry("contains", "e", a -> m.contains(a[0])));
    all.add(new Entry("mappingCount", "", a -> m.mappingCount()));
  }
  static void sortedMap(List<Entry> all, NavigableMap<Object, Object> m) {
    all.add(new Entry("firstKey", "", a -> m.firstKey()));
    all.add(new Entry("lastKey", "", a -> m.lastKey()));
    all.add(new Entry("ceilingKey", "e", a -> m.ceilingKey(a[0])));
    all.add(new Entry("floorKey", "e", a -> m.floorKey(a[0])));
    all.add(new Entry("higherKey", "e", a -> m.higherKey(a[0])));
    all.add(new Entry("lowerKey", "e", a -> m.lowerKey(a[0])));
    all.add(new Entry("firstEntry", "", a -> m.firstEntry()));
    all.add(new Entry("lastEntry", "", a -> m.lastEntry()));
    all.add(new Entry("ceilingEntry", "e", a -> m.ceilingEntry(a[0])));
    all.add(new Entry("floorEntry", "e", a -> m.floorEntry(a[0])));
    all.add(new Entry("higherEntry", "e", a -> m.higherEntry(a[0])));
    all.add(new Entry("lowerEntry", "e", a -> m.lowerEntry(a[0])));
    all.add(new Entry("pollFirstEntry", "", a -> m.pollFirstEntry()));
    all.add(new Entry("pollLastEntry", "", a -> m.pollLastEntry()));
  }

  static Object argument(char kind) {
    switch (kind) {
      case 'e':
        return element();
      case 'l':
        return list();
      case 'd':
        return new ArrayList<Object>();
      case 'n':
        return random.nextInt(4) - 1;
      default:
        Map<Object, Object> m = new LinkedHashMap<>();
        for (int n = random.nextInt(12); n > 0; --n) m.put(element(), element());
        return m;
    }
  }
  static String json(Object value) {
    if (value instanceof String) return '"' + (String) value + '"';
    List<String> parts = new ArrayList<>();
    if (value instanceof List<?>) {
      for (Object item : (List<?>) value) parts.add(json(item));
    } else if (value instanceof Map<?, ?>) {
      for (Map.Entry<?, ?> e : ((Map<?, ?>) value).entrySet()) parts.add("[" + json(e.getKey()) + "," + json(e.getValue()) + "]");
    } else {
      return String.valueOf(value);
    }
    return "[" + String.join(",", parts) + "]";
  }

  static void record(Object object, String arguments, int operations) {
    StringBuilder events = new StringBuilder();
    for (int id = 0; id < operations; ++id) {
      List<Entry> all = methods(object);
      Entry entry = all.get(random.nextInt(all.size()));
      Object[] args = new Object[entry.takes().length()];
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < args.length; ++i) texts.add(json(args[i] = argument(entry.takes().charAt(i))));
      String result;
      try {
        result = String.valueOf(entry.method().run(args));
      } catch (Exception e) {
        result = e.getClass().getName();
      }
      events.append(id == 0 ? "" : ",").append("{\"kind\":\"call\",\"sid\":0,\"invocation\":{\"id\":").append(id)
          .append(",\"method\":{\"name\":\"").append(entry.name()).append("\"},\"arguments\":[")
          .append(String.join(",", texts)).append("]}},{\"kind\":\"return\",\"sid\":0,\"invocation\":{\"id\":").append(id)
          .append("},\"value\":").append(json(result)).append("}");
    }
    System.out.println("{\"schema\":{\"class\":\"" + object.getClass().getName() + "\",\"arguments\":" + arguments + "},\"events\":[" + events + "]}");
  }

  public static void main(String[] args) {
    int runs = Integer.parseInt(args[0]);
    for (int i = 0; i < runs; ++i) {
      for (elements = 0; elements < 3; ++elements) {
        int capacity = 1 + random.nextInt(5);
        int length = 10 + random.nextInt(50);
        record(new ArrayBlockingQueue<>(capacity), "[" + capacity + "]", length);
        record(new ConcurrentHashMap<>(), "[]", length);
        record(new ConcurrentHashMap<>(3 * capacity), "[" + 3 * capacity + "]", 2 * length);
        record(new ConcurrentLinkedDeque<>(), "[]", length);
        record(new ConcurrentLinkedQueue<>(), "[]", length);
        record(new ConcurrentSkipListMap<>(), "[]", length);
        record(new ConcurrentSkipListSet<>(), "[]", length);
        record(new LinkedBlockingDeque<>(capacity), "[" + capacity + "]", length);
        record(new LinkedBlockingDeque<>(), "[]", length);
        record(new LinkedBlockingQueue<>(capacity), "[" + capacity + "]", length);
        record(new LinkedBlockingQueue<>(), "[]", length);
        record(new LinkedTransferQueue<>(), "[]", length);
        record(new PriorityBlockingQueue<>(), "[]", length);
        record(new PriorityBlockingQueue<>(List.of(3, 1, 2, 0, 1)), "[[3,1,2,0,1]]", length);
      }
    }
  }
}
