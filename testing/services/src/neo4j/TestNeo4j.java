import java.nio.file.Path;
import java.util.Map;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.io.ByteUnit;

/** A Neo4j that listens on loopback until it is told to end: arguments are its folder, its port and the password. */
public class TestNeo4j {
  public static void main(String[] arguments) throws Exception {
    DatabaseManagementService server =
        new DatabaseManagementServiceBuilder(Path.of(arguments[0]))
            .setConfig(BoltConnector.enabled, true)
            .setConfig(
                BoltConnector.listen_address,
                new SocketAddress("127.0.0.1", Integer.parseInt(arguments[1])))
            .setConfig(GraphDatabaseSettings.auth_enabled, true)
            .setConfig(GraphDatabaseSettings.pagecache_memory, ByteUnit.mebiBytes(64))
            .build();
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
    server
        .database(GraphDatabaseSettings.SYSTEM_DATABASE_NAME)
        .executeTransactionally(
            "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED",
            Map.of("password", arguments[2]));
    System.out.println("Ready");
    Thread.currentThread().join();
  }
}
